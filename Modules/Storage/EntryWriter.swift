public import CurlewCore
public import FoundationEssentials
import Glibc

/// Writes the content of one new entry of a `BoundedStore` in pieces.
///
/// A writer that fails, is discarded or is released leaves nothing behind. `append` writes to an open file and never
/// waits for durability. Use it from one task at a time.
public final class EntryWriter: Sendable {
  private struct State {
    var isOver = false
    var length: Int64 = 0
    var checksum = Checksum()
    var bytes = Data()
    /// The file of a long content; nil while the content is short enough for memory.
    var file: AtomicFileWriter?
    var isInFile = false
  }

  private let store: BoundedStore
  private let state: Guarded<State>

  init(_ store: BoundedStore, expecting length: Int64?) {
    self.store = store
    var state = State()
    if length.map({ $0 > Int64(EntryFile.inlineLimit) }) ?? true {
      // If the file cannot be created, a short content can still be stored.
      state.file = try? AtomicFile(store.path("content"), durability: .processEnd, in: store.files).begin()
    }
    self.state = Guarded(state)
  }

  /// Appends bytes.
  ///
  /// - Throws: `FileSystemError`, with `EFBIG` beyond the store's limit. The entry is then discarded.
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

  /// Stores the entry under a key, in place of the old one.
  ///
  /// - Throws: `FileSystemError`; the old entry then stays.
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
    if let file = state.file, state.isInFile {
      body.blob = .random(in: 1 ... .max)
      body.bytes = Data()
      try file.commit(as: store.path(name.blob(body.blob ?? 0)))
    } else {
      state.file?.discard()
    }
    do throws(FileSystemError) {
      try store.write(EntryFile(key: key, header: header, body: body), under: name)
    } catch {
      if let blob = body.blob { try? store.files.remove(store.path(name.blob(blob))) }
      throw error
    }
  }

  /// Discards the entry; does nothing after `commit` or a failure.
  public func discard() {
    let file = state.withLock { state in
      state.isOver = true
      state.bytes = Data()
      defer { state.file = nil }
      return state.file
    }
    file?.discard()
  }

  /// Keeps a short content in memory and writes a longer one to the file.
  private func put(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    let (file, start) = try state.withLock { state throws(FileSystemError) -> (AtomicFileWriter?, Data) in
      if !state.isInFile, state.bytes.count + bytes.count <= EntryFile.inlineLimit {
        state.bytes.append(contentsOf: bytes)
        return (nil, Data())
      }
      guard let file = state.file else { throw Self.failure(EFBIG) }
      state.isInFile = true
      defer { state.bytes = Data() }
      return (file, state.bytes)
    }
    guard let file else { return }
    var failure: FileSystemError?
    start.withUnsafeBytes { start in
      do throws(FileSystemError) { try file.append(start) } catch { failure = error }
    }
    if let failure { throw failure }
    try file.append(bytes)
  }

  private static func failure(_ code: Int32) -> FileSystemError {
    FileSystemError(code: code, operation: "store", path: "")
  }
}
