// A CUDA driver for tests whose device is this processor. It has the functions that `cust` and
// `src/device/driver.rs` of falcon-gpu call, and runs the kernels of `host.cpp`.
//
// FALCON_TEST_DRIVER selects a fault: "none" (no device), "old" (old driver), "ancient" (old
// device), "memory" (no memory left), "launch" (kernels fail), "ptx" (every image is refused with
// an answer that `cust` does not know), "cubin" (every cubin is refused). Otherwise there is no
// fault.
//
// FALCON_TEST_DEVICE is the device's compute capability, such as 89; by default 90.
#include "../kernels/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct FalconKernel {
    const char *name;
    int (*launch)(const Batch *, uint32_t, uint32_t, uint32_t);
};
extern "C" const FalconKernel *falcon_host_kernels(size_t *count);

using Result = uint32_t;
using Handle = void *;

namespace {

constexpr Result SUCCESS = 0, INVALID = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100,
                 INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NO_BINARY = 209,
                 INVALID_PTX = 218, UNSUPPORTED_PTX = 222, NOT_FOUND = 500, LAUNCH_FAILED = 719;
constexpr size_t TOTAL = size_t(1) << 30;
constexpr size_t ALIGNMENT = 256;

bool initialized = false;
size_t used = 0;
thread_local bool current = false;
char the_context, the_stream;

bool fault(const char *name) {
    const char *wrong = getenv("FALCON_TEST_DRIVER");
    return wrong != nullptr && strcmp(wrong, name) == 0;
}

// Compute capability without its point: 90 is 9.0.
int capability() {
    if (fault("ancient")) return 70;
    const char *named = getenv("FALCON_TEST_DEVICE");
    return named == nullptr ? 90 : atoi(named);
}

// Header in front of each allocation.
struct Block {
    size_t length;
    char padding[ALIGNMENT - sizeof(size_t)];
};

Result allocate(void **memory, size_t length) {
    if (!current) return INVALID_CONTEXT;
    if (fault("memory") || length > TOTAL - used) return OUT_OF_MEMORY;
    const size_t whole = (sizeof(Block) + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Block *block = static_cast<Block *>(aligned_alloc(ALIGNMENT, whole));
    if (block == nullptr) return OUT_OF_MEMORY;
    block->length = length;
    used += length;
    memset(static_cast<void *>(block + 1), 0xa5, length);
    *memory = block + 1;
    return SUCCESS;
}

Result release(void *memory) {
    if (!current) return INVALID_CONTEXT;
    Block *block = static_cast<Block *>(memory) - 1;
    const unsigned char *bytes = static_cast<const unsigned char *>(memory);
    for (size_t i = 0; i < block->length; ++i) {
        if (bytes[i] != 0) {
            fputs("test driver: memory was given back that was not wiped\n", stderr);
            abort();
        }
    }
    used -= block->length;
    free(block);
    return SUCCESS;
}

// Text of PTX, or the bytes of a cubin up to the end of its section table.
struct Module {
    std::string text;
    bool cubin;
};

template <typename T>
T field(const char *image, size_t place) {
    T value;
    memcpy(&value, image + place, sizeof(value));
    return value;
}

// A cubin runs on devices with the same major number, and the same or a later minor number.
Result read_cubin(const char *image, Module *module) {
    if (fault("cubin")) return INVALID_IMAGE;
    const int code = int(field<uint32_t>(image, 48) >> 8 & 0xff);
    if (image[8] != 8 || code / 10 != capability() / 10 || code > capability()) return NO_BINARY;
    const size_t sections = field<uint64_t>(image, 40), count = field<uint16_t>(image, 60);
    *module = {std::string(image, sections + 64 * count), true};
    return SUCCESS;
}

Result in_context(Result result) { return current ? result : INVALID_CONTEXT; }

} // namespace

EXPORT Result cuInit(unsigned flags) {
    if (fault("none")) return NO_DEVICE;
    initialized = true;
    return flags == 0 ? SUCCESS : INVALID;
}
EXPORT Result cuDriverGetVersion(int *version) {
    *version = fault("old") ? 10020 : 13000;
    return SUCCESS;
}
EXPORT Result cuGetErrorString(Result answer, const char **text) {
    switch (answer) {
    case LAUNCH_FAILED: *text = "the test driver lets every kernel fail"; return SUCCESS;
    default: *text = nullptr; return INVALID;
    }
}
EXPORT Result cuDeviceGetCount(int *count) {
    *count = 1;
    return initialized ? SUCCESS : NOT_INITIALIZED;
}
EXPORT Result cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? SUCCESS : INVALID_DEVICE;
}
EXPORT Result cuDeviceGetName(char *name, int length, int) {
    snprintf(name, size_t(length), "%s", "the test driver's device");
    return SUCCESS;
}
EXPORT Result cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = TOTAL;
    return SUCCESS;
}
EXPORT Result cuDeviceGetAttribute(int *value, unsigned attribute, int) {
    switch (attribute) {
    case 16: *value = 2; return SUCCESS;                       // multiprocessors
    case 75: *value = capability() / 10; return SUCCESS;
    case 76: *value = capability() % 10; return SUCCESS;
    case 81: *value = 228 << 10; return SUCCESS; // shared memory of a multiprocessor
    default: return INVALID;
    }
}
EXPORT Result cuDevicePrimaryCtxRetain(Handle *context, int) {
    *context = &the_context;
    return SUCCESS;
}
EXPORT Result cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
EXPORT Result cuCtxSetCurrent(Handle context) {
    current = context == &the_context;
    return SUCCESS;
}
EXPORT Result cuModuleLoadDataEx(Handle *module, const void *image, unsigned, unsigned *, void **) {
    if (fault("ptx")) return UNSUPPORTED_PTX;
    const char *text = static_cast<const char *>(image);
    Module made;
    if (memcmp(text, "\x7f\x45\x4c\x46", 4) == 0) {
        const Result result = read_cubin(text, &made);
        if (result != SUCCESS) return result;
    } else {
        if (strstr(text, ".version") == nullptr) return INVALID_PTX;
        made = {text, false};
    }
    *module = new Module(made);
    return in_context(SUCCESS);
}
EXPORT Result cuModuleUnload(Handle module) {
    delete static_cast<Module *>(module);
    return in_context(SUCCESS);
}
EXPORT Result cuModuleGetFunction(Handle *function, Handle module, const char *name) {
    const Module *in = static_cast<const Module *>(module);
    const std::string entry =
        in->cubin ? std::string(1, '\0') + name + std::string(1, '\0') : ".entry " + std::string(name) + "(";
    if (in->text.find(entry) == std::string::npos) return NOT_FOUND;
    size_t count = 0;
    const FalconKernel *kernels = falcon_host_kernels(&count);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(kernels[i].name, name) == 0) {
            *function = const_cast<FalconKernel *>(&kernels[i]);
            return in_context(SUCCESS);
        }
    }
    return NOT_FOUND;
}
EXPORT Result cuFuncSetAttribute(Handle, unsigned attribute, int value) {
    // The dynamic shared memory of a block.
    return attribute == 8 && value <= 227 << 10 ? SUCCESS : INVALID;
}
EXPORT Result cuMemGetInfo_v2(size_t *unused, size_t *total) {
    *unused = TOTAL - used;
    *total = TOTAL;
    return in_context(SUCCESS);
}
EXPORT Result cuMemAlloc_v2(uint64_t *address, size_t length) {
    void *memory = nullptr;
    const Result result = allocate(&memory, length);
    *address = reinterpret_cast<uint64_t>(memory);
    return result;
}
EXPORT Result cuMemFree_v2(uint64_t address) { return release(reinterpret_cast<void *>(address)); }
EXPORT Result cuMemAllocHost_v2(void **memory, size_t length) { return allocate(memory, length); }
EXPORT Result cuMemFreeHost(void *memory) { return release(memory); }
EXPORT Result cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t length, Handle) {
    memcpy(reinterpret_cast<void *>(to), from, length);
    return in_context(SUCCESS);
}
EXPORT Result cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t length, Handle) {
    memcpy(to, reinterpret_cast<const void *>(from), length);
    return in_context(SUCCESS);
}
EXPORT Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t length, Handle) {
    memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), length);
    return in_context(SUCCESS);
}
EXPORT Result cuMemsetD8Async(uint64_t to, unsigned char byte, size_t length, Handle) {
    memset(reinterpret_cast<void *>(to), byte, length);
    return in_context(SUCCESS);
}
EXPORT Result cuStreamCreateWithPriority(Handle *stream, unsigned, int) {
    *stream = &the_stream;
    return in_context(SUCCESS);
}
EXPORT Result cuStreamSynchronize(Handle) { return in_context(SUCCESS); }
EXPORT Result cuStreamDestroy_v2(Handle) { return in_context(SUCCESS); }
EXPORT Result cuEventCreate(Handle *event, unsigned) {
    *event = &the_stream;
    return in_context(SUCCESS);
}
EXPORT Result cuEventRecord(Handle, Handle) { return in_context(SUCCESS); }
EXPORT Result cuEventSynchronize(Handle) { return in_context(SUCCESS); }
EXPORT Result cuEventElapsedTime(float *milliseconds, Handle, Handle) {
    *milliseconds = 1;
    return in_context(SUCCESS);
}
EXPORT Result cuEventDestroy_v2(Handle) { return in_context(SUCCESS); }
EXPORT Result cuLaunchKernel(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared, Handle, void **arguments,
                             void **extra) {
    if (!current) return INVALID_CONTEXT;
    if (fault("launch")) return LAUNCH_FAILED;
    if (grid_y * grid_z * block_y * block_z != 1 || block_x > 1024 || extra != nullptr) return INVALID;
    const Batch batch = *static_cast<const Batch *>(arguments[0]);
    const int failed = static_cast<const FalconKernel *>(function)->launch(&batch, grid_x, block_x, shared);
    return failed == 0 ? SUCCESS : LAUNCH_FAILED;
}
