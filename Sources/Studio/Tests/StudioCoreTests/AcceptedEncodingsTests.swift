import StudioCore
import Testing

struct AcceptedEncodingsTests {
  @Test(arguments: [
    "gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.001", "GZIP", "x-gzip", "*", "br, *;q=0.5",
    "deflate,gzip ; q=1", "identity;q=0, gzip",
  ])
  func gzipIsTaken(_ header: String) { #expect(AcceptedEncodings(header).hasGzip) }

  @Test(arguments: [
    nil, "", "identity", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzipped", "gzip;q=much", ",;,", ";q=1",
  ])
  func gzipIsNotTaken(_ header: String?) { #expect(!AcceptedEncodings(header).hasGzip) }
}
