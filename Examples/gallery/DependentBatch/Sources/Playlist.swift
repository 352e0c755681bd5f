import Curlew
import FoundationEssentials

/// Downloads birdsong and writes a playlist of it: an index first, then all recordings, at last the list.
struct Playlist {
  /// The address of the site, ending in a slash.
  var site: String
  /// The directory of the files.
  var directory: String

  /// Adds the items to a batch: each names what must succeed before it.
  ///
  /// - Throws: `BatchError`; `NetworkError` for an invalid address.
  func add(_ songs: [String], to batch: Batch) async throws {
    var items = [try BatchItem.download("index", Request(.get, site + "index.json"), to: directory + "/index.json")]
    for song in songs {
      let file = song + ".ogg"
      items.append(
        try .download("song " + song, Request(.get, site + file), to: directory + "/" + file, after: ["index"]))
    }
    try await batch.add(items)
    // A closure is an item, too. It needs all songs, so it is skipped if one of them cannot be had.
    try await batch.add("playlist", after: songs.map { "song " + $0 }) { [directory] _ in
      let list = Data(songs.map { $0 + ".ogg\n" }.joined().utf8)
      try list.write(to: URL(filePath: directory + "/playlist.m3u"), options: .atomic)
      return BatchProduct(bytes: Int64(list.count))
    }
  }
}

extension BatchOutcome {
  /// The outcome in one sentence.
  var sentence: String {
    switch result {
    case .succeeded(let product): "\(name) has \(product.bytes ?? 0) bytes."
    case .failed(let failure): "\(name) failed: \(failure.message)"
    case .cancelled: "\(name) was cancelled."
    case .skipped(let cause): "\(name) was skipped because of \(cause)."
    }
  }
}
