internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// What is known of a request besides itself.
struct StudioContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The IP address at the other end of the connection: of the client, or of a proxy.
  let address: String

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? ""
  }
}
