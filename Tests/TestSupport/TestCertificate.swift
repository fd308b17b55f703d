/// A certificate for localhost that signed itself, and its key: from 2020 to 2119, for these tests alone. Made by `openssl ca
/// -selfsign`.
package enum TestCertificate {
  package static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBZDCCAQugAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtydXN0bGUg
    dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTE5MTIzMTAwMDAwMFowFjEUMBIGA1UE
    AwwLcnVzdGxlIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQA8dLbCoUx
    snPW84LLR41S8f9qgNlHQkxh0sEXuUr+T8ukqkT/mff9xsGCxNmH0IrQuUNYFDnu
    aUK49EH3q/oZo0gwRjAUBgNVHREEDTALgglsb2NhbGhvc3QwDwYDVR0TAQH/BAUw
    AwEB/zAdBgNVHQ4EFgQUq6ou7fk2PdGxyg8CB0v8HxSNfCkwCgYIKoZIzj0EAwID
    RwAwRAIgbvH3J+XAGqQcRaFb0qcSgnj/UBt+nEyeywthe52+L58CIC1oy3ZETKdd
    L8Cxdonu/+ZupvdFY7gGTY4EOxm6u6rm
    -----END CERTIFICATE-----
    """

  package static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgy8civeCMrIOwzgtc
    lYQzZBioqT/P9wcsudV15k/ljX2hRANCAAQA8dLbCoUxsnPW84LLR41S8f9qgNlH
    Qkxh0sEXuUr+T8ukqkT/mff9xsGCxNmH0IrQuUNYFDnuaUK49EH3q/oZ
    -----END PRIVATE KEY-----
    """
}
