import CurlewAWSSignature
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// The examples that AWS publishes; `Vectors/SOURCE` says where.
@Suite struct PublishedTests {
  private func storage() throws -> AWSSignature {
    try AWSSignature(for: ["https://examplebucket.s3.amazonaws.com"], region: "us-east-1") { .example }
  }

  private let midnight = ManualClock(date: Date(timeIntervalSince1970: 1_369_353_600))

  @Test func `an object of S3 is signed with its range`() async throws {
    var request = try Request(.get, "https://examplebucket.s3.amazonaws.com/test.txt")
    request.headerFields[.range] = "bytes=0-9"
    let sent = Sent()
    try await sent.send(request, through: storage(), clock: midnight)
    #expect(
      sent.requests.first?.headerFields[.authorization]
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func `a listing is signed with its query`() async throws {
    let sent = Sent()
    for query in ["lifecycle", "max-keys=2&prefix=J"] {
      try await sent.send(
        Request(.get, "https://examplebucket.s3.amazonaws.com/?\(query)"), through: storage(), clock: midnight)
    }
    let signatures = sent.requests.map { $0.headerFields[.authorization]?.suffix(64) }
    #expect(
      signatures == [
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
      ])
    #expect(sent.requests.first?.url.query() == "lifecycle")
  }

  @Test func `an upload is signed with the hash of its content`() async throws {
    var request = try Request(.put, "https://examplebucket.s3.amazonaws.com/test$file.text")
    request.headerFields[.date] = "Fri, 24 May 2013 00:00:00 GMT"
    request.headerFields[try #require(HTTPField.Name("X-Amz-Storage-Class"))] = "REDUCED_REDUNDANCY"
    request.body = .text("Welcome to Amazon S3.")
    let sent = Sent()
    try await sent.send(request, through: storage(), clock: midnight)
    #expect(sent.requests.first?.url.absoluteString == "https://examplebucket.s3.amazonaws.com/test%24file.text")
    #expect(
      sent.requests.first?[field: "X-Amz-Content-Sha256"]
        == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
    #expect(
      sent.requests.first?.headerFields[.authorization]?.hasSuffix(
        "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd") == true)
  }

  @Test func `a signed URL is the published one`() async throws {
    let request = try Request(.get, "https://examplebucket.s3.amazonaws.com/test.txt")
    let url = try await storage().presignedURL(for: request, lifetime: .seconds(86_400), clock: midnight)
    #expect(
      url.absoluteString.hasSuffix(
        "X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
          + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
  }

  @Test func `the plainest request of the test suite is signed`() async throws {
    let credentials = AWSCredentials(
      accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    let signature = try AWSSignature(
      for: ["https://example.amazonaws.com"], region: "us-east-1", service: "service"
    ) { credentials }
    let clock = ManualClock(date: Date(timeIntervalSince1970: 1_440_938_160))
    let sent = Sent()
    try await sent.send(Request(.get, "https://example.amazonaws.com/"), through: signature, clock: clock)
    #expect(
      sent.requests.first?.headerFields[.authorization]
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        + "SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
  }
}
