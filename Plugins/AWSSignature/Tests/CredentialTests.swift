import CurlewAWSSignature
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@Suite struct CredentialTests {
  @Test func `credentials come from the variables of the environment`() throws {
    let variables = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token"]
    #expect(
      try AWSCredentials(environment: variables)
        == AWSCredentials(accessKeyID: "id", secretAccessKey: "secret", sessionToken: "token"))
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
      for value in [nil, ""] {
        var incomplete = variables
        incomplete[name] = value
        let error = #expect(throws: AWSCredentialsError.self) { try AWSCredentials(environment: incomplete) }
        #expect(error?.kind == .missing)
        #expect(error?.message.contains(name) == true)
        #expect(error?.message.contains("secret") == false)
      }
    }
  }

  private func inFile<Output>(_ text: String, _ work: (String) throws -> Output) throws -> Output {
    let path = NSTemporaryFolder.path + "/curlew-aws-\(UInt64.random(in: 0 ... .max))"
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try work(path)
  }

  private enum NSTemporaryFolder { static let path = FileManager.default.temporaryDirectory.path }

  @Test func `a profile is read from a file as other programs write it`() throws {
    let text = """
      # one comment
      [default]
      aws_access_key_id = first
      aws_secret_access_key = a=b:c
      [ birds ]\r
      aws_access_key_id=second\r
      AWS_SECRET_ACCESS_KEY:  s e  \r
      s3 =
        aws_access_key_id = nested
      ; another comment
      aws_session_token = t
      [profile seals]
      aws_access_key_id = third
      aws_secret_access_key = third
      [half]
      aws_access_key_id = fourth
      aws_secret_access_key =
      """
    try inFile(text) { path in
      let first = try AWSCredentials(file: path)
      #expect(first == AWSCredentials(accessKeyID: "first", secretAccessKey: "a=b:c"))
      let second = try AWSCredentials(file: path, profile: "birds")
      #expect(second == AWSCredentials(accessKeyID: "second", secretAccessKey: "s e", sessionToken: "t"))
      #expect(try AWSCredentials(file: path, profile: "seals").accessKeyID == "third")
      for profile in ["half", "none"] {
        let error = #expect(throws: AWSCredentialsError.self) { try AWSCredentials(file: path, profile: profile) }
        #expect(error?.kind == .missing)
        #expect(error?.message.contains(profile) == true)
      }
    }
  }

  @Test func `a file that is missing, too long or no text is an error that names it`() throws {
    for text in [nil, String(repeating: "#", count: AWSCredentials.maximumFileBytes + 1)] {
      try inFile(text ?? "") { path in
        let path = text == nil ? path + "-none" : path
        let error = #expect(throws: AWSCredentialsError.self) { try AWSCredentials(file: path) }
        #expect(error?.kind == .unreadableFile)
        #expect(error?.message.contains(path) == true)
      }
    }
  }

  @Test func `credentials with an end are asked for once, and again five minutes before it`() async throws {
    let clock = ManualClock()
    let asked = Mutex(0)
    let signature = try AWSSignature(for: ["https://b.example"], region: "r") {
      let count = asked.withLock { count in
        count += 1
        return count
      }
      if count == 2 { throw NoMore() }
      return AWSCredentials(
        accessKeyID: "id\(count)", secretAccessKey: "s", expires: clock.date.addingTimeInterval(3600))
    }
    let sent = Sent()
    let request = try Request(.get, "https://b.example/")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await sent.send(request, through: signature, clock: clock) } }
      try await group.waitForAll()
    }
    #expect(asked.withLock { $0 } == 1)
    clock.advance(by: .seconds(3301))
    // The second time fails, and what there is lasts for some minutes.
    try await sent.send(request, through: signature, clock: clock)
    try await sent.send(request, through: signature, clock: clock)
    #expect(asked.withLock { $0 } == 3)
    #expect(sent.requests.last?.headerFields[.authorization]?.contains("=id3/") == true)
  }

  private struct NoMore: Error {}

  @Test(arguments: ["", "a b", "a,b", "a\nb", "é"])
  func `credentials that a field cannot hold are an error without them`(id: String) async throws {
    let signature = try AWSSignature(for: ["https://b.example"], region: "r") {
      AWSCredentials(accessKeyID: id, secretAccessKey: "very secret")
    }
    let error = await #expect(throws: NetworkError.self) {
      try await Sent().send(Request(.get, "https://b.example/"), through: signature, clock: ManualClock())
    }
    #expect(error?.kind == .authenticationFailed)
    #expect((error?.details.underlying as? AWSCredentialsError)?.kind == .malformed)
    #expect(error.map { "\($0)".contains("very secret") } == false)
  }
}
