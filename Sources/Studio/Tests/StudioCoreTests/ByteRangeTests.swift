import StudioCore
import Testing

@Suite struct ByteRangeTests {
  @Test(arguments: ["bytes=0-0", "bytes=9-9", "bytes=9-", "bytes=0-100", "bytes=-1", "bytes=-100"])
  func rangesThatBeginInTheFileAreSatisfiable(header: String) {
    #expect(ByteRange(header, size: 10) == .satisfiable)
    #expect(ByteRange(header, size: 0) == .unsatisfiable)
  }

  @Test(arguments: ["bytes=10-", "bytes=20-", "bytes=100-200", "bytes=-0"])
  func rangesBehindTheEndAreNot(header: String) {
    #expect(ByteRange(header, size: 10) == .unsatisfiable)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "bytes=a-b", "bytes=+1-2", "bytes=1-2-3",
    "lines=0-1", "bytes=99999999999999999999-",
  ]) func otherHeadersAreIgnored(header: String) {
    #expect(ByteRange(header, size: 10) == .ignored)
  }
}
