import ArgumentParser
import CurlewLoading

/// Where responses are kept.
struct CacheArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Keep responses in a directory and answer from there (RFC 9111).", valueName: "dir"),
    transform: checkedPath)
  var cache: String?

  /// The cache; nil where none was asked for.
  ///
  /// - Throws: `ToolFailure` where there can be no cache.
  func make() throws -> Caching? {
    guard let cache else { return nil }
    do {
      return Caching(try DiskCacheStore(cache))
    } catch {
      throw ToolFailure("The cache cannot be opened", cache, error, advice: "give --cache a directory of its own")
    }
  }
}
