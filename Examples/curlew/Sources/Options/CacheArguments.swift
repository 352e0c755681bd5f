import ArgumentParser
import CurlewLoading

/// Where responses are kept.
struct CacheArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Keep responses in a directory and answer from there (RFC 9111).", valueName: "dir"))
  var cache: String?

  /// The cache; nil where none was asked for.
  ///
  /// Throws what `DiskCacheStore` throws.
  func make() throws -> Caching? { try cache.map { Caching(try DiskCacheStore($0)) } }
}
