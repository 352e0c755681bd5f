import CurlewAWSSignature
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Compares signatures with those of botocore: 100 requests here, and those in the file that `CURLEW_AWS_VECTORS` names
/// (`Scripts/aws-peers`).
@Suite struct BotocoreTests {
  struct Vector: Decodable, Sendable {
    var method: String
    var url: String
    var fields: [[String]]
    var body: String
    var payload: String
    var service: String
    var region: String
    var time: Double
    var id: String
    var secret: String
    var token: String?
    var expires: Int?
    var sent: String
    var authorization: String?

    /// Returns the URL and the `Authorization` field that we make of the request.
    func signed() async throws -> (url: String, authorization: String?) {
      var request = Request(try #require(HTTPRequest.Method(method)), try Request(.get, url).url)
      for field in fields {
        request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(field[0])), value: field[1]))
      }
      let content = try #require(Data(base64Encoded: body))
      if !content.isEmpty { request.body = .bytes(content) }
      let credentials = AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token)
      let signature = try AWSSignature(
        for: [url], region: region, service: service, payload: payload == "unsigned" ? .unsigned : .signed
      ) { credentials }
      let clock = ManualClock(date: Date(timeIntervalSince1970: time))
      if let expires {
        let url = try await signature.presignedURL(for: request, lifetime: .seconds(expires), clock: clock)
        return (url.absoluteString, nil)
      }
      let sent = Sent()
      try await sent.send(request, through: signature, clock: clock)
      let one = try #require(sent.requests.first)
      return (try one.origin.description + one.target, one.headerFields[.authorization])
    }
  }

  @Test func `each signature is the one that botocore makes`() async throws {
    let stored = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/botocore.jsonl").path
    let path = ProcessInfo.processInfo.environment["CURLEW_AWS_VECTORS"] ?? stored
    let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count >= 100)
    for line in lines {
      let vector = try JSONDecoder().decode(Vector.self, from: Data(line))
      let (url, authorization) = try await vector.signed()
      #expect(url == vector.sent, "\(vector.url)")
      #expect(authorization == vector.authorization, "\(vector.url)")
    }
    print("aws-peers: \(lines.count) signatures compared with botocore's")
  }
}
