import Foundation
import Testing

@testable import CurlewCurlTransport

@Suite struct LoadedLibraryTests {
  static let expected = ProcessInfo.processInfo.environment["CURLEW_EXPECTED_LIBCURL"]

  @Test(.enabled(if: expected != nil, "CURLEW_EXPECTED_LIBCURL is not set"))
  func `the libcurl that is loaded is the one this run is meant for`() {
    #expect(CurlTransport.libraryVersion == Self.expected)
  }
}
