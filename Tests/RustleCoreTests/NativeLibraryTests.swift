import TestSupport
import Testing

@testable import RustleCore

@Suite(.releasesNativeObjects) struct NativeLibraryTests {
  @Test func archiveFitsThePackage() throws {
    try NativeLibrary.prepare()
    #expect(NativeLibrary.buildID == NativeLibrary.expectedBuildID)
    #expect(NativeLayout.ofArchive() == NativeLayout.ofHeader())
  }

  @Test func staleArchiveIsNamedWithBothFingerprints() {
    let layout = NativeLayout.ofHeader()
    let problem = NativeLibrary.mismatch(built: "aaaa", linked: "bbbb", archive: layout, header: layout)
    #expect(problem == "expected the native archive aaaa, got bbbb. Run scripts/build and build again.")
  }

  @Test func descriptionThatIsRefusedIsThrownAndNotZeros() {
    let calls: [(UInt64) throws -> Void] = [
      { _ = try NativeCalls.feedCounts($0) }, { _ = try NativeCalls.feedConnection($0) },
      { _ = try NativeCalls.feedOmissions($0) }, { _ = try NativeCalls.serverCounts($0) },
    ]
    for call in calls {
      let error = #expect(throws: NativeError.self) { try call(0) }
      #expect(error?.status == .staleHandle)
    }
  }

  @Test func movedFieldIsNamed() {
    let header = NativeLayout.ofHeader()
    let archive = header.map { entry in
      guard entry.name == "RustlePriceUpdate.sequence" else { return entry }
      return LayoutEntry(record: entry.record, field: entry.field, size: 0, alignment: 0, offset: entry.offset + 8)
    }
    let problem = NativeLayout.difference(archive: archive, header: header)
    #expect(
      problem
        == "RustlePriceUpdate.sequence: expected size 0, alignment 0, offset 16; got size 0, alignment 0, offset 24")
  }

  @Test func recordOnOneSideOnlyIsNamed() {
    let header = NativeLayout.ofHeader()
    let extra = LayoutEntry(record: "RustleNew", field: nil, size: 8, alignment: 8, offset: 0)
    #expect(
      NativeLayout.difference(archive: header + [extra], header: header)
        == "RustleNew: in the archive, not in the header")
    #expect(
      NativeLayout.difference(archive: header, header: header + [extra])
        == "RustleNew: in the header, not in the archive")
  }
}
