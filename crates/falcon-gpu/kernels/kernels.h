// All kernels: X(name, lanes of a unit, what it does).
//
// `Kernel` of `src/kernels.rs` has the same names, threads and working memory.
#pragma once

#include "chacha.h"
#include "codec.h"
#include "expand.h"
#include "hash.h"
#include "records.h"
#include "sign.h"
#include "verify.h"

#ifndef FALCON_GROUP
#define FALCON_GROUP 8
#endif

#define FALCON_KERNELS_OF(X, LOGN)                                                                                     \
    X(hash_##LOGN, 1, (falcon::hash<LOGN>))                                                                            \
    X(seed_##LOGN, 1, (falcon::seed<LOGN>))                                                                            \
    X(sign_raw_##LOGN, FALCON_GROUP, (falcon::sign<LOGN, FALCON_GROUP, falcon::RAW>))                                 \
    X(sign_balanced_##LOGN, FALCON_GROUP, (falcon::sign<LOGN, FALCON_GROUP, falcon::BALANCED>))                       \
    X(sign_expanded_##LOGN, FALCON_GROUP, (falcon::sign<LOGN, FALCON_GROUP, falcon::EXPANDED>))                       \
    X(accept_##LOGN, 32, (falcon::accept<LOGN, 32>))                                                                   \
    X(basis_##LOGN, 32, (falcon::basis<LOGN, 32>))                                                                     \
    X(expand_##LOGN, 32, (falcon::expand<LOGN, 32>))                                                                   \
    X(prepare_##LOGN, 32, (falcon::prepare<LOGN, 32>))                                                                 \
    X(unpack_##LOGN, 1, (falcon::unpack<LOGN>))                                                                        \
    X(verify_##LOGN, 32, (falcon::verify<LOGN, 32>))

#define FALCON_KERNELS(X)                                                                                              \
    X(prng, 8, (falcon::prng))                                                                                         \
    FALCON_KERNELS_OF(X, 9)                                                                                            \
    FALCON_KERNELS_OF(X, 10)
