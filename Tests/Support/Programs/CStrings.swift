import Glibc

/// A null-terminated array of C strings.
struct CStrings {
  private let texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  func with<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
