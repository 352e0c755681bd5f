import CurlewTestHarness
import Foundation
import Testing

/// What AFNetworking tested of its serializers, its policy, its reachability and its activity indicator.
@Suite struct AFNetworkingOtherListTests {
  private func rows() throws -> [PeerBehaviour] {
    try Repository.file("Tests/SessionManagersTests/AFNetworking-others.txt").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { line -> PeerBehaviour in
        let parts = line.split(separator: "|", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(parts.count == 2, "\(line)")
        return parts[1].hasPrefix("- ") ? .none(parts[0], String(parts[1].dropFirst(2))) : .test(parts[0], parts[1])
      }
  }

  @Test func `every behaviour has a test that exists, or a reason`() throws {
    let rows = try rows()
    #expect(Set(rows.map(\.name)).count == rows.count)
    let classes = Dictionary(grouping: rows) { $0.name.split(separator: ".").first.map(String.init) ?? "" }
    #expect(
      classes.mapValues(\.count) == [
        "AFCompoundResponseSerializerTests": 3, "AFHTTPRequestSerializationTests": 16,
        "AFHTTPResponseSerializationTests": 7, "AFImageResponseSerializerTests": 4, "AFJSONSerializationTests": 16,
        "AFNetworkActivityManagerTests": 7, "AFNetworkReachabilityManagerTests": 9,
        "AFPropertyListRequestSerializerTests": 2, "AFPropertyListResponseSerializerTests": 5,
        "AFSecurityPolicyTests": 50, "AFXMLDocumentResponseSerializerTests": 6,
        "AFXMLParserResponseSerializerTests": 5,
      ])
    #expect(try PeerBehaviour.problems(in: rows) == [])
  }
}
