import CurlewCore
import Glibc
import Testing

/// A directory of a test's own, gone with it.
final class TemporaryDirectory: Sendable {
  let path: String

  init(in folder: String = "/tmp") {
    var template = Array((folder + "/curlew-files-XXXXXX").utf8CString)
    path = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } ?? "" }
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    let files = LocalFileSystem()
    for name in (try? files.list(path)) ?? [] { remove(path + "/" + name) }
    let stray = Array((path + "/").utf8) + [0xff, 0]
    stray.withUnsafeBytes { _ = unlink($0.bindMemory(to: CChar.self).baseAddress!) }
    _ = Glibc.remove(path)
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

/// The numbers of this process's open descriptors.
func openDescriptors() throws -> Set<Int32> {
  Set(try LocalFileSystem().list("/proc/self/fd").compactMap { Int32($0) })
}

/// What a descriptor refers to.
func descriptorPath(_ descriptor: Int32) -> String? {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
  return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
}
