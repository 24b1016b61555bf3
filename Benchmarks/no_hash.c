/* Stands in for libargon2 in `flows` (LD_PRELOAD): a "hash" that takes no time. So the rate is not bound by the hash, and what is measured of
 * a sign-in is the rest of it, under load. */
#include <argon2.h>
#include <stdint.h>

int argon2id_ctx(argon2_context *context) {
    uint64_t state = 14695981039346656037u;
    for (uint32_t i = 0; i < context->pwdlen; i++) state = (state ^ context->pwd[i]) * 1099511628211u;
    for (uint32_t i = 0; i < context->saltlen; i++) state = (state ^ context->salt[i]) * 1099511628211u;
    for (uint32_t i = 0; i < context->outlen; i++) {
        state = (state ^ i) * 1099511628211u;
        context->out[i] = (uint8_t)(state >> 56);
    }
    return ARGON2_OK;
}
