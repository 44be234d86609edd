// SPDX-License-Identifier: Apache-2.0
// libmicrohttpd can serve TLS and names GnuTLS for it, which would bring five more libraries and cannot be
// linked statically as a whole. `ringside serve` never asks for TLS: these functions stand for the ones that
// are not called. Where one is called after all, it says that it failed.
#include <cstddef>
#include <cstdlib>

extern "C" {

#define RINGSIDE_UNUSED_TLS(name)                                                                            \
    int gnutls_##name()                                                                                      \
    {                                                                                                        \
        return -59; /* GNUTLS_E_INTERNAL_ERROR */                                                            \
    }
RINGSIDE_UNUSED_TLS(alpn_set_protocols)
RINGSIDE_UNUSED_TLS(bye)
RINGSIDE_UNUSED_TLS(certificate_allocate_credentials)
RINGSIDE_UNUSED_TLS(certificate_free_credentials)
RINGSIDE_UNUSED_TLS(certificate_server_set_request)
RINGSIDE_UNUSED_TLS(certificate_set_dh_params)
RINGSIDE_UNUSED_TLS(certificate_set_retrieve_function2)
RINGSIDE_UNUSED_TLS(certificate_set_retrieve_function3)
RINGSIDE_UNUSED_TLS(certificate_set_x509_key_mem)
RINGSIDE_UNUSED_TLS(certificate_set_x509_key_mem2)
RINGSIDE_UNUSED_TLS(certificate_set_x509_trust_mem)
RINGSIDE_UNUSED_TLS(cipher_get)
RINGSIDE_UNUSED_TLS(credentials_set)
RINGSIDE_UNUSED_TLS(deinit)
RINGSIDE_UNUSED_TLS(dh_params_deinit)
RINGSIDE_UNUSED_TLS(dh_params_import_pkcs3)
RINGSIDE_UNUSED_TLS(dh_params_init)
RINGSIDE_UNUSED_TLS(global_deinit)
RINGSIDE_UNUSED_TLS(global_init)
RINGSIDE_UNUSED_TLS(handshake)
RINGSIDE_UNUSED_TLS(init)
RINGSIDE_UNUSED_TLS(priority_deinit)
RINGSIDE_UNUSED_TLS(priority_init)
RINGSIDE_UNUSED_TLS(priority_set)
RINGSIDE_UNUSED_TLS(protocol_get_version)
RINGSIDE_UNUSED_TLS(psk_allocate_server_credentials)
RINGSIDE_UNUSED_TLS(psk_free_server_credentials)
RINGSIDE_UNUSED_TLS(psk_set_server_credentials_function)
RINGSIDE_UNUSED_TLS(record_check_pending)
RINGSIDE_UNUSED_TLS(record_get_direction)
RINGSIDE_UNUSED_TLS(record_recv)
RINGSIDE_UNUSED_TLS(record_send)
RINGSIDE_UNUSED_TLS(session_get_ptr)
RINGSIDE_UNUSED_TLS(session_set_ptr)
RINGSIDE_UNUSED_TLS(transport_set_int2)

void* (*gnutls_malloc)(std::size_t) = std::malloc;

const char* gnutls_strerror(int /*error*/)
{
    return "TLS is not a part of this program";
}

} // extern "C"
