import CurlewBatch
import CurlewCore
import CurlewDownload
import CurlewRequests
import FoundationEssentials

extension ComponentName<BatchJob> {
  /// The job of an item that is downloaded into a file.
  static let listedFile = Self("listed-file")
}

/// A download as a store keeps it.
struct DownloadItem: Sendable, Hashable {
  var name: String
  var url: String
  var digest: ExpectedDigest?

  /// Creates the download of a list's line.
  init(_ item: ListedItem) {
    name = item.name
    url = item.url
    digest = item.digest
  }

  /// Reads a download from a store.
  ///
  /// - Throws: `NetworkError` for a digest that is none: without it the file would go unchecked.
  init(_ item: BatchItem) throws(NetworkError) {
    self.init(undigested: item)
    let fields = Self.fields(of: item)
    digest = fields.count > 1 ? try ExpectedDigest(String(fields[1])) : nil
  }

  /// Reads a download from a store without its digest, for what is said of it.
  init(undigested item: BatchItem) {
    name = item.name
    url = String(Self.fields(of: item)[0])
  }

  private static func fields(of item: BatchItem) -> [Substring] {
    String(decoding: item.input, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
  }

  /// The item of a store. Equal downloads have equal items, so that a list can be added again.
  var batchItem: BatchItem {
    let input = url + (digest.map { "\t\($0)" } ?? "")
    return BatchItem(name, job: .listedFile, input: Data(input.utf8), host: URL(string: url)?.host?.lowercased())
  }
}
