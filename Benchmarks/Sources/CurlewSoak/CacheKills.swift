import ArgumentParser
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes

/// Kills processes that write a disk cache, and checks that what remains is intact.
struct CacheKills: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache-kills", abstract: "Kills processes that write a disk cache, and reads it.")

  @Option(help: "How many.") var kills = 200
  @Option(help: "Decides the instants.") var seed: UInt64 = .random(in: .min ... .max)

  func run() async throws {
    var template = Array("/tmp/curlew-cache-XXXXXX".utf8CString)
    let directory = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    defer { Self.remove(directory) }
    var random = SeededRandom(seed: seed)
    var found = 0
    var wrong: [String] = []
    var unopened = 0
    for kill in 0..<kills {
      // In every second round two processes share the directory.
      let writers = try (0...(kill % 2)).map { _ in try Self.startWriter(directory) }
      usleep(.random(in: 1_000...60_000, using: &random))
      for writer in writers { Glibc.kill(writer, SIGKILL) }
      for writer in writers { while waitpid(writer, nil, 0) < 0, errno == EINTR {} }
      guard let store = try? CacheWork.store(directory) else {
        unopened += 1
        continue
      }
      for number in 0..<CacheWork.resources {
        switch await CacheWork.check(number, in: store) {
        case nil: continue
        case .some(nil): found += 1
        case .some(let mistake?): wrong.append(mistake)
        }
      }
    }
    var report = Report("cache of killed processes")
    report.note("\(kills) kills, seed \(seed)")
    report.promise(unopened == 0, "\(unopened) times not opened")
    report.promise(wrong.isEmpty, "\(wrong.count) wrong bodies\(wrong.first.map { ", as " + $0 } ?? "")")
    report.promise(found > kills, "\(found) whole ones read")
    try report.finish()
  }

  private static func startWriter(_ directory: String) throws -> pid_t {
    var process = pid_t()
    let words = ["curlew-soak", "cache-writer", directory]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    guard posix_spawn(&process, "/proc/self/exe", nil, nil, &arguments, environ) == 0 else {
      throw ValidationError("A process cannot be started.")
    }
    return process
  }

  private static func remove(_ directory: String) {
    for name in (try? LocalFileSystem().list(directory)) ?? [] { try? LocalFileSystem().remove(directory + "/" + name) }
    try? LocalFileSystem().remove(directory)
  }
}

/// Writes a disk cache until it is killed.
struct CacheWriterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache-writer", abstract: "Writes a disk cache until it is killed.", shouldDisplay: false)

  @Argument var directory: String

  func run() async throws {
    let caching = Caching(try CacheWork.store(directory))
    let loader = Loader(CacheWork.origin(), interceptors: [caching])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          while true { await CacheWork.step(loader) }
        }
      }
    }
  }
}

/// The resources of the cache, and the check that a stored one is complete.
enum CacheWork {
  static let resources = 48
  private static let word = HTTPField.Name("X-Word") ?? .server

  /// Returns a store so small that old entries are evicted.
  static func store(_ directory: String) throws -> DiskCacheStore {
    try DiskCacheStore(directory, capacity: 3 << 20, entryLimit: 1 << 20)
  }

  private static func url(_ number: Int) -> URL? { URL(string: "http://cache.test/\(number)") }

  /// Answers each request with a body that repeats one word, which is new each time.
  static func origin() -> StubTransport {
    StubTransport { asked in
      if asked.request.headerFields[.ifNoneMatch] != nil { return StubAnswer(.notModified) }
      guard asked.request.method == .get else { return StubAnswer(.noContent) }
      let word = "\(asked.request.url.path):\(UInt64.random(in: .min ... .max));"
      let count = [0, 1, 100, 3_000, 20_000].randomElement() ?? 1
      let bytes = Data(String(repeating: word, count: count).utf8)
      return .bytes(
        bytes, chunkSize: 10_000,
        headerFields: [
          .cacheControl: "max-age=\(Int.random(in: 0...1))", .eTag: "\"\(word)\"", Self.word: word,
        ])
    }
  }

  /// Loads, revalidates or changes a resource.
  static func step(_ loader: Loader) async {
    guard let url = url(.random(in: 0..<resources)) else { return }
    var request = Request(.get, url)
    switch Int.random(in: 0..<10) {
    case 0: request.method = .post
    case 1..<5: request.options.cachePolicy = .reload
    case 5..<7: request.options.cachePolicy = .revalidate
    default: break
    }
    guard let response = try? await loader.load(request) else { return }
    _ = try? await response.body.collect(upTo: 1 << 22)
  }

  /// Returns nil if nothing is stored, else the fault of the stored response, if any.
  static func check(_ number: Int, in store: DiskCacheStore) async -> String?? {
    guard let url = url(number) else { return nil }
    let loader = Loader(
      StubTransport { _ in .failing(NetworkError(.internal, stage: .sending, message: "asked")) },
      interceptors: [Caching(store)])
    var request = Request(.get, url)
    request.options.cachePolicy = .returnStoredDontLoad
    do {
      let response = try await loader.load(request)
      let body = try await response.body.collect(upTo: 1 << 22)
      let word = response.head.headerFields[word] ?? ""
      guard word.hasPrefix(url.path + ":") else { return "\(url.path) is \(word)" }
      guard body.count == word.utf8.count * (body.count / word.utf8.count) else { return "\(url.path) is cut" }
      let expected = Data(String(repeating: word, count: body.count / word.utf8.count).utf8)
      return body == expected ? .some(nil) : "\(url.path) has another body"
    } catch let error as NetworkError where error.kind == .notInCache {
      return nil
    } catch {
      return "\(url.path): \(error)"
    }
  }
}
