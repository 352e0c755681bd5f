import CurlewCore

extension FileSystem {
  /// Opens, writes at an offset and closes.
  func put(_ bytes: [UInt8], in path: String, at offset: Int64 = 0, synchronizing: Bool = false) throws {
    let file = try open(path, [.write, .create])
    try file.put(bytes, at: offset)
    if synchronizing { try file.synchronize() }
    try file.close()
  }

  /// Everything in a file.
  func take(_ path: String) throws -> [UInt8] {
    let file = try open(path, .read)
    return try file.take(Int(file.length()))
  }
}

extension OpenFile {
  func put(_ bytes: [UInt8], at offset: Int64 = 0) throws {
    try bytes.withUnsafeBytes { buffer in try write(buffer, at: offset) }
  }

  func take(_ count: Int, at offset: Int64 = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try bytes.withUnsafeMutableBytes { buffer in try read(into: buffer, at: offset) }
    return Array(bytes.prefix(got))
  }
}

/// The error number a body ends with; 0 when it does not fail.
func code(_ body: () throws -> Void) -> Int32 {
  do {
    try body()
    return 0
  } catch {
    return (error as? FileSystemError)?.code ?? -1
  }
}
