import CurlewCore
import Glibc

extension FileSystem {
  /// The text of a file.
  ///
  /// - Throws: `FileSystemError`; `EFBIG` past the limit, `EILSEQ` for what is not UTF-8.
  func text(_ path: String, upTo limit: Int) throws(FileSystemError) -> String {
    let file = try open(path, .read)
    let length = try file.length()
    guard length <= Int64(limit) else { throw FileSystemError(code: EFBIG, operation: "read", path: path) }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    // Safe because the buffer is used within the call alone.
    let count = try bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(FileSystemError) in try file.read(into: buffer, at: 0) }
    }.get()
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw FileSystemError(code: EILSEQ, operation: "read", path: path)
    }
    return text
  }

  /// Puts a text in a file's place, whole or not at all, durably.
  func replace(_ path: String, with text: String) throws(FileSystemError) {
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
    let file = try open(temporary, [.write, .create, .exclusive, .noFollow])
    do throws(FileSystemError) {
      // Safe because the bytes are used within the call alone.
      try Array(text.utf8).withUnsafeBytes { bytes in
        Result { () throws(FileSystemError) in try file.write(bytes, at: 0) }
      }.get()
      try file.synchronize()
      try file.close()
      try rename(temporary, to: path)
    } catch {
      try? remove(temporary)
      throw error
    }
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    try synchronizeDirectory(directory)
  }
}
