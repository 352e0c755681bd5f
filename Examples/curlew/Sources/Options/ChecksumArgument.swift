import ArgumentParser
import CurlewDownload

/// The digest that a file must have, as `sha-256:HEX`.
struct ChecksumArgument: ExpressibleByArgument, Sendable {
  let digest: ExpectedDigest

  init?(argument: String) {
    guard let digest = try? ExpectedDigest(argument) else { return nil }
    self.digest = digest
  }
}
