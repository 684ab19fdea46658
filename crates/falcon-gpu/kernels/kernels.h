// All kernels: X(name, lanes of a unit, whether it signs, function).
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

#define FALCON_KERNELS_OF(X, LOGN)                                                                                     \
    X(hash_##LOGN, 1, false, (falcon::hash<LOGN>))                                                                            \
    X(seed_##LOGN, 1, false, (falcon::seed<LOGN>))                                                                            \
    X(sign_raw_##LOGN, FALCON_GROUP, true, (falcon::sign<LOGN, FALCON_GROUP, falcon::RAW>))                                 \
    X(sign_balanced_##LOGN, FALCON_GROUP, true, (falcon::sign<LOGN, FALCON_GROUP, falcon::BALANCED>))                       \
    X(sign_expanded_##LOGN, FALCON_GROUP, true, (falcon::sign<LOGN, FALCON_GROUP, falcon::EXPANDED>))                       \
    X(accept_##LOGN, 32, false, (falcon::accept<LOGN, 32>))                                                                   \
    X(basis_##LOGN, 32, false, (falcon::basis<LOGN, 32>))                                                                     \
    X(expand_##LOGN, 32, false, (falcon::expand<LOGN, 32>))                                                                   \
    X(prepare_##LOGN, 32, false, (falcon::prepare<LOGN, 32>))                                                                 \
    X(unpack_##LOGN, 1, false, (falcon::unpack<LOGN>))                                                                        \
    X(verify_##LOGN, 32, false, (falcon::verify<LOGN, 32>))

// Kernels that do not depend on the degree.
#define FALCON_KERNELS_OF_ALL(X) X(prng, falcon::ROW_LANES, false, (falcon::prng))

#define FALCON_KERNELS(X)                                                                                              \
    FALCON_KERNELS_OF_ALL(X)                                                                                         \
    FALCON_KERNELS_OF(X, 9)                                                                                            \
    FALCON_KERNELS_OF(X, 10)
