import ArgumentParser
import CurlewLoading

/// The options about the HTTP cache.
struct CacheArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Keep responses in a directory and answer from there (RFC 9111).", valueName: "dir"),
    transform: checkedPath)
  var cache: String?

  /// Opens the cache; nil without the option.
  ///
  /// - Throws: `ToolFailure` when the directory cannot hold a cache.
  func make() throws -> Caching? {
    guard let cache else { return nil }
    do {
      return Caching(try DiskCacheStore(cache))
    } catch {
      throw ToolFailure("The cache cannot be opened", cache, error, advice: "give --cache a directory of its own")
    }
  }
}
