internal import ArgumentParser
internal import RustleStudio
internal import StudioCore

/// The reverse proxies in front of the server.
struct ProxyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Address of a reverse proxy whose X-Forwarded-For and X-Forwarded-Proto count; may be repeated.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Flag(help: "Read Forwarded (RFC 7239) of these proxies, and no X-Forwarded-For and X-Forwarded-Proto.")
  var forwarded = false

  func proxies() throws -> TrustedProxies {
    var proxies = TrustedProxies()
    proxies.addresses = Set(
      try trustedProxy.map { text in
        guard let address = Forwarded.address(text) else {
          throw ValidationError("--trusted-proxy: expected an IP address, got '\(text)'")
        }
        return address
      })
    proxies.readsForwarded = forwarded
    return proxies
  }
}
