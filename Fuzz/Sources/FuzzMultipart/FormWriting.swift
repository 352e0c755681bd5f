import CurlewCore
import CurlewSerialization
import Dispatch
import FoundationEssentials
import FuzzKit
import HTTPTypes
import Synchronization

extension FuzzMultipart {
  /// Checks that a form of two parts reads back, whatever its names contain.
  ///
  /// Field name, file name and content are the input's first three pieces, which NUL separates.
  static func writeForm(_ bytes: Data) {
    let boundary = "Boundary+0123456789ABCDEF"
    guard bytes.firstRange(of: Data(boundary.utf8)) == nil, var form = try? MultipartForm(boundary: boundary) else {
      return
    }
    let pieces = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    let name = String(decoding: pieces[0], as: UTF8.self)
    let fileName = pieces.count > 1 ? String(decoding: pieces[1], as: UTF8.self) : nil
    let content = Data(pieces.last ?? Data())
    do throws(NetworkError) {
      try form.append(content, name: name, fileName: fileName, mediaType: fileName.flatMap { MediaType($0) })
      try form.append("rest", name: "last")
    } catch {
      demand(error.kind == .invalidRequest, "a name is refused as \(error.kind)")
      return
    }
    let body = collect(form.body())
    demand(Int64(body.count) == form.length, "the announced length is wrong")
    let parts = parts(of: body, boundary)
    demand(parts.count == 2, "two parts became \(parts.count)")
    demand(parts.first?.content == content, "the content changed")
    demand((1...2).contains(parts.first?.fields.count ?? 0), "a field was injected")
    let disposition = parts.first.map {
      ContentDisposition($0.fields[.contentDisposition] ?? "", dialect: .formData)
    }
    demand(disposition?.parameters.count == (fileName == nil ? 1 : 2), "a parameter was injected")
  }

  private static func parts(of body: Data, _ boundary: String) -> [(fields: HTTPFields, content: Data)] {
    guard var reader = try? MultipartReader(boundary: boundary, limits: .init(headerBytes: 1 << 20)) else { return [] }
    var parts: [(fields: HTTPFields, content: Data)] = []
    reader.feed(body)
    reader.end()
    while let event = try? reader.next() {
      switch event {
      case .partBegan(let fields): parts.append((fields, Data()))
      case .body(let bytes): parts[parts.count - 1].content.append(bytes)
      case .partEnded, .finished: break
      }
    }
    return parts
  }

  /// Returns the bytes of a body; it blocks, because libFuzzer's calls cannot await.
  private static func collect(_ body: Body) -> Data {
    let done = DispatchSemaphore(value: 0)
    let collected = Mutex(Data())
    Task {
      if case .stream(let stream) = body.source, let chunks = try? await stream.make() {
        while let chunk = try? await chunks.next() { collected.withLock { $0.append(chunk) } }
      }
      done.signal()
    }
    done.wait()
    return collected.withLock { $0 }
  }
}
