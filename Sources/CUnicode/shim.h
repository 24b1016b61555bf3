#include <idn2.h>
#include <uninorm.h>

// UNINORM_NFC is the address of an incomplete struct, which Swift cannot import.
static inline uint8_t *kidoban_nfc(const uint8_t *text, size_t length, size_t *normalized_length) {
    return u8_normalize(UNINORM_NFC, text, length, NULL, normalized_length);
}
