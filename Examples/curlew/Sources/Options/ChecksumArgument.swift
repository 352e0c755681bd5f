import CurlewDownload

/// The digest that a file must have, as `sha-256:HEX`.
struct ChecksumArgument: ExplainedArgument, Sendable {
  let digest: ExpectedDigest

  init?(argument: String) {
    guard let digest = try? ExpectedDigest(argument) else { return nil }
    self.digest = digest
  }

  static func problem(of argument: String) -> String {
    "Write the algorithm, a colon and all hexadecimal digits, such as sha-256: and 64 digits; the algorithms are sha-256, sha-512, "
      + "sha-512-256 and md5."
  }
}
