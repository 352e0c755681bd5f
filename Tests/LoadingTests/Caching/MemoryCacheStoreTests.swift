import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct MemoryCacheStoreTests {
  private func fill(_ store: MemoryCacheStore, _ name: String, _ count: Int) async throws {
    let writer = try #require(store.begin(expecting: Int64(count)))
    try [UInt8](repeating: 7, count: count).withUnsafeBytes { try writer.append($0) }
    try await writer.commit(.response(CacheFixture.stored([:])), under: CacheKey(text: name))
  }

  private func has(_ store: MemoryCacheStore, _ name: String) -> Bool { store.entry(for: CacheKey(text: name)) != nil }

  @Test func `the least recently used goes first, and the bytes stay within the capacity`() async throws {
    let store = MemoryCacheStore(capacity: 8_000, entryLimit: 3_000)
    for name in ["a", "b", "c"] { try await fill(store, name, 1_800) }
    #expect(has(store, "a"))
    try await fill(store, "d", 1_800)
    #expect(has(store, "a") && !has(store, "b") && has(store, "c") && has(store, "d"))
    #expect(store.usedBytes <= 8_000)
    try await fill(store, "d", 2_900)
    #expect(store.usedBytes <= 8_000)
    #expect(has(store, "d"))
    store.remove(CacheKey(text: "d"))
    #expect(!has(store, "d"))
    store.removeAll()
    #expect(store.usedBytes == 0)
    #expect(!has(store, "a"))
  }

  @Test func `what is too large is refused, announced or not`() throws {
    let store = MemoryCacheStore(capacity: 10_000, entryLimit: 100)
    #expect(store.begin(expecting: 101) == nil)
    let writer = try #require(store.begin(expecting: nil))
    let bytes = [UInt8](repeating: 1, count: 60)
    try bytes.withUnsafeBytes { try writer.append($0) }
    #expect(throws: CacheStoreError(.tooLarge)) { try bytes.withUnsafeBytes { try writer.append($0) } }
    #expect(throws: CacheStoreError(.ended)) { try bytes.withUnsafeBytes { try writer.append($0) } }
  }

  @Test func `content is read at any offset, also after the entry went`() async throws {
    let store = MemoryCacheStore()
    let writer = try #require(store.begin(expecting: nil))
    try Array("0123456789".utf8).withUnsafeBytes { try writer.append($0) }
    try await writer.commit(.response(CacheFixture.stored([:])), under: CacheKey(text: "a"))
    let content = try #require(store.entry(for: CacheKey(text: "a"))).content
    store.removeAll()
    #expect(content.length == 10)
    #expect(try content.read(at: 3, upTo: 4) == Data("3456".utf8))
    #expect(try content.read(at: 8, upTo: 4) == Data("89".utf8))
    #expect(try content.read(at: 0, upTo: 99) == Data("0123456789".utf8))
    #expect(try content.read(at: 99, upTo: 1).isEmpty)
  }
}
