import CurlewCore
import FoundationEssentials
import Glibc

/// A file system of one file in memory, whose disk may be full.
final class OneFile: FileSystem, OpenFile {
  private struct State {
    var bytes: Data?
    var opens = 0
    var closes = 0
  }

  private let state = Guarded(State())
  private let capacity: Int

  init(_ bytes: Data? = nil, capacity: Int = .max) {
    self.capacity = capacity
    state.withLock { $0.bytes = bytes }
  }

  var bytes: Data? { state.withLock { $0.bytes } }
  var opens: Int { state.withLock { $0.opens } }
  var closes: Int { state.withLock { $0.closes } }

  func open(_ path: String, _ options: FileOpenOptions) throws(FileSystemError) -> any OpenFile {
    state.withLock { state in
      state.opens += 1
      if options.contains(.truncate) || state.bytes == nil { state.bytes = Data() }
    }
    return self
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
    let fits = state.withLock { state in
      let end = Int(offset) + bytes.count
      guard end <= capacity, var all = state.bytes else { return false }
      if all.count < end { all.append(Data(count: end - all.count)) }
      all.replaceSubrange(Int(offset)..<end, with: bytes)
      state.bytes = all
      return true
    }
    guard fits else { throw FileSystemError(code: ENOSPC, operation: "write", path: "") }
  }

  func close() throws(FileSystemError) { state.withLock { $0.closes += 1 } }

  func status(_ path: String) throws(FileSystemError) -> FileStatus? { nil }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) {}
  func remove(_ path: String) throws(FileSystemError) {}
  func createDirectory(_ path: String) throws(FileSystemError) {}
  func list(_ path: String) throws(FileSystemError) -> [String] { [] }
  func synchronizeDirectory(_ path: String) throws(FileSystemError) {}
  func availableBytes(_ path: String) throws(FileSystemError) -> Int64 { .max }
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int { 0 }
  func synchronize() throws(FileSystemError) {}
  func truncate(to length: Int64) throws(FileSystemError) {}
  func preallocate(_ length: Int64) throws(FileSystemError) {}
  func length() throws(FileSystemError) -> Int64 { 0 }
  func tryLock() throws(FileSystemError) -> Bool { true }
}
