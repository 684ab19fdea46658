/*
 * Signs a file: sign_file KEY.PEM FILE > SIGNATURE
 *
 * Reads the file in pieces, so that it may be larger than memory. KEY.PEM is a key of falcon-cli
 * without a passphrase.
 */
#include <falconsign.h>

#include <stdio.h>

/* Prints the text of a status that is not FALCONSIGN_OK, and returns the exit status. */
static int report(const char *what, int status)
{
    if (status != FALCONSIGN_OK)
        fprintf(stderr, "%s: %s\n", what, falconsign_status_text(status));
    return status != FALCONSIGN_OK;
}

int main(int count, char **argument)
{
    static char pem[FALCONSIGN_DOCUMENT_MAX];
    uint8_t piece[4096], signature[FALCONSIGN_SIGNATURE_MAX];
    falconsign_signing_key *key = NULL;
    falconsign_signer *signer = NULL;
    size_t n, length = 0;
    FILE *key_file = count == 3 ? fopen(argument[1], "r") : NULL;
    FILE *file = count == 3 ? fopen(argument[2], "rb") : NULL;
    if (key_file == NULL || file == NULL) {
        fprintf(stderr, "sign_file KEY.PEM FILE > SIGNATURE\n");
        return 2;
    }
    n = fread(pem, 1, sizeof pem, key_file);
    fclose(key_file);
    int status = falconsign_signing_key_from_pem(pem, n, NULL, 0, &key);
    if (report(argument[1], status))
        return 1;
    status = falconsign_signer_new(key, &signer);
    falconsign_signing_key_free(key); /* the signer keeps the key */
    while (status == FALCONSIGN_OK && (n = fread(piece, 1, sizeof piece, file)) > 0)
        status = falconsign_signer_update(signer, piece, n);
    if (ferror(file)) {
        perror(argument[2]);
        return 1;
    }
    fclose(file);
    if (status == FALCONSIGN_OK)
        status = falconsign_signer_finish(signer, FALCONSIGN_PADDED, signature, sizeof signature,
                                          &length);
    falconsign_signer_free(signer);
    if (report(argument[2], status))
        return 1;
    return fwrite(signature, 1, length, stdout) != length || fflush(stdout) != 0;
}
