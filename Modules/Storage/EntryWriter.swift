public import CurlewCore
public import FoundationEssentials
import Glibc

/// The content of one new entry of a `BoundedStore`, piece by piece.
///
/// A writer that fails, is discarded or is dropped leaves nothing. `append` writes to a file, and never waits for it to be
/// durable. One task at a time.
public final class EntryWriter: Sendable {
  private struct State {
    var isOver = false
    var length: Int64 = 0
    var checksum = Checksum()
    var bytes = Data()
    var file: AtomicFileWriter?
  }

  private let store: BoundedStore
  private let state = Guarded(State())

  init(_ store: BoundedStore) { self.store = store }

  /// Adds bytes at the end.
  ///
  /// - Throws: `FileSystemError`, with `EFBIG` beyond the limit of the store. The entry is discarded then.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    do throws(FileSystemError) {
      try state.withLock { state throws(FileSystemError) in
        guard !state.isOver else { throw Self.failure(EBADF) }
        guard Int64(bytes.count) <= store.limits.content - state.length else { throw Self.failure(EFBIG) }
        state.length += Int64(bytes.count)
        state.checksum.update(bytes)
      }
      try put(bytes)
    } catch {
      discard()
      throw error
    }
  }

  /// Puts the entry under a key, in place of what stood there.
  ///
  /// - Throws: `FileSystemError`; what stood there stays.
  public func commit(_ key: String, header: Data) throws(FileSystemError) {
    let state = self.state.withLock { state in
      defer {
        state.isOver = true
        state.file = nil
      }
      return state
    }
    guard !state.isOver else { throw Self.failure(EBADF) }
    guard key.utf8.count + header.count <= EntryFile.headLimit else {
      state.file?.discard()
      throw Self.failure(EFBIG)
    }
    let name = EntryName(key)
    var body = EntryFile.Body(
      length: state.length, checksum: state.checksum.value, blob: nil, bytes: state.bytes)
    if let file = state.file {
      body.blob = .random(in: 1 ... .max)
      body.bytes = Data()
      try file.commit(as: store.path(name.blob(body.blob ?? 0)))
    }
    do throws(FileSystemError) {
      try store.write(EntryFile(key: key, header: header, body: body), under: name)
    } catch {
      if let blob = body.blob { try? store.files.remove(store.path(name.blob(blob))) }
      throw error
    }
  }

  /// Gives the entry up; does nothing after the end.
  public func discard() {
    let file = state.withLock { state in
      state.isOver = true
      state.bytes = Data()
      defer { state.file = nil }
      return state.file
    }
    file?.discard()
  }

  /// Keeps short contents in memory and writes longer ones to a file.
  private func put(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    let file = state.withLock { state -> AtomicFileWriter? in
      if state.file == nil, state.bytes.count + bytes.count <= EntryFile.inlineLimit {
        state.bytes.append(contentsOf: bytes)
      }
      return state.file
    }
    if let file {
      try file.append(bytes)
      return
    }
    guard state.withLock({ Int64($0.bytes.count) != $0.length }) else { return }
    let new = try AtomicFile(store.path("content"), durability: .processEnd, in: store.files).begin()
    let start = state.withLock { state in
      state.file = new
      defer { state.bytes = Data() }
      return state.bytes
    }
    var failure: FileSystemError?
    start.withUnsafeBytes { start in
      do throws(FileSystemError) { try new.append(start) } catch { failure = error }
    }
    if let failure { throw failure }
    try new.append(bytes)
  }

  private static func failure(_ code: Int32) -> FileSystemError {
    FileSystemError(code: code, operation: "store", path: "")
  }
}
