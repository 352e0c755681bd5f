import FoundationEssentials
import Glibc

extension TestIdentity {
  /// The paths of an identity's PEM files.
  public struct Files: Sendable, Hashable {
    /// The folder of the files, created for them; remove it with `remove()`.
    public let folder: String
    /// The chain that is shown, leaf first.
    public var chain: String { folder + "/chain.pem" }
    /// The key, which only its owner can read.
    public var key: String { folder + "/key.pem" }
    /// The root certificate, for a client's `--cacert`.
    public var root: String { folder + "/root.pem" }

    /// Removes the files and the folder.
    public func remove() {
      for file in [chain, key, root] { unlink(file) }
      rmdir(folder)
    }
  }

  /// Writes chain, key and root into a new temporary folder, for other programs.
  ///
  /// - Throws: `OriginError` when folder or files cannot be written.
  public func writeFiles() throws(OriginError) -> Files {
    var template = [UInt8]("/tmp/curlew-identity-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    guard mkdtemp(&template) != nil else { throw OriginError(errno: errno, in: "make a folder") }
    let files = Files(folder: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    for (path, text) in [(files.chain, chainPEM), (files.key, key.pem), (files.root, root.pem)] {
      try Self.write(text, to: path)
    }
    return files
  }

  private static func write(_ text: String, to path: String) throws(OriginError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OriginError(errno: errno, in: "create \(path)") }
    defer { close(descriptor) }
    let bytes = [UInt8](text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw OriginError(errno: errno, in: "write \(path)") }
      done += count
    }
  }
}
