import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewRequests
import FoundationEssentials
import HTTPTypes

/// A copy of a directory that nginx lists.
///
/// The digests come first, then the index, then the files: the item of the index adds the items of the files, each with its digest. A file
/// without one is not fetched; its item fails and says why.
/// Items are values, so the process that has read the index may end, and any other one downloads the files.
struct Mirror: Sendable {
  /// The name of the item, and the file, with the digests.
  static let digests = "SHA256SUMS"
  /// The name of the item that reads the listing.
  static let index = "/"

  private let address: URL
  private let directory: String
  private let store: any BatchStore
  private let loader: Loader

  init(of address: URL, in directory: String, store: any BatchStore, over loader: Loader) {
    self.address = address
    self.directory = directory
    self.store = store
    self.loader = loader
  }

  /// The jobs: downloads, and the reading of the index.
  var configuration: Batch.Configuration {
    var configuration = Batch.Configuration(over: loader)
    configuration.jobs[.index] = BatchJob { context in
      try await readIndex()
      return BatchProduct()
    }
    configuration.jobs[.unlisted] = BatchJob { _ in throw Unlisted() }
    configuration.width = 8
    return configuration
  }

  /// The items to begin with.
  var firstItems: [BatchItem] {
    get throws {
      [
        try item(Self.digests, digest: nil, after: []),
        BatchItem(Self.index, job: .index, dependencies: [Self.digests], priority: .high),
      ]
    }
  }

  /// Adds an item for each file of the listing.
  ///
  /// It is done again if the process is killed before its result is stored: items that are there already stay as they are.
  private func readIndex() async throws {
    let sums = try DigestList(try String(contentsOf: URL(filePath: path(of: Self.digests)), encoding: .utf8))
    let (body, head) = try await loader.data(for: try Request(.get, address.absoluteString), upTo: 64 << 20)
    try TransferValidation.successStatus(head)
    let names = Listing(String(decoding: body, as: UTF8.self)).files.filter { $0 != Self.digests }
    for start in stride(from: 0, to: names.count, by: 500) {
      try await store.add(
        try names[start..<min(names.count, start + 500)].map { name in
          guard let digest = sums[name] else { return BatchItem(name, job: .unlisted, dependencies: [Self.index]) }
          return try item(name, digest: digest, after: [Self.index])
        })
    }
  }

  private func item(_ name: String, digest: ExpectedDigest?, after dependencies: [String]) throws -> BatchItem {
    let file = address.appending(path: name)
    return try .download(
      name, try Request(.get, file.absoluteString), to: path(of: name), after: dependencies, digest: digest)
  }

  private func path(of name: String) -> String { directory + "/" + name }
}

extension ComponentName<BatchJob> {
  /// The job of the item that reads the listing.
  static let index = Self("index")
  /// The job of a file whose digest is not known.
  static let unlisted = Self("unlisted")
}

/// The error of a file whose digest is not known.
private struct Unlisted: Error, CustomStringConvertible {
  var description: String { "\(Mirror.digests) does not list it, so it cannot be checked" }
}
