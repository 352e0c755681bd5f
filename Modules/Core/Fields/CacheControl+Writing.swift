import HTTPTypes

extension CacheControl: CustomStringConvertible {
  /// The field value; empty without directives.
  ///
  /// Extensions that no field can carry are omitted.
  public var description: String {
    var directives: [String] = []
    func add(_ name: String, _ seconds: Int64?) {
      if let seconds { directives.append("\(name)=\(min(max(seconds, 0), DeltaSeconds.largest))") }
    }
    func add(_ name: String, _ reach: Reach?) {
      switch reach {
      case nil: break
      case .response?: directives.append(name)
      case .fields(let names)?:
        directives.append(name + "=\"" + names.map(\.rawName).joined(separator: ", ") + "\"")
      }
    }
    func add(_ name: String, _ isSet: Bool) {
      if isSet { directives.append(name) }
    }
    add("public", isPublic)
    add("private", onlyPrivate)
    add("max-age", maxAge)
    add("s-maxage", sharedMaxAge)
    switch maxStale {
    case nil: break
    case .any?: directives.append("max-stale")
    case .seconds(let seconds)?: add("max-stale", seconds)
    }
    add("min-fresh", minFresh)
    add("no-cache", noCache)
    add("no-store", noStore)
    add("no-transform", noTransform)
    add("only-if-cached", onlyIfCached)
    add("must-revalidate", mustRevalidate)
    add("proxy-revalidate", proxyRevalidate)
    add("must-understand", mustUnderstand)
    add("immutable", immutable)
    add("stale-while-revalidate", staleWhileRevalidate)
    add("stale-if-error", staleIfError)
    for parameter in extensions where FieldSyntax.isToken(parameter.name) {
      guard FieldSyntax.isQuotable(parameter.value) else { continue }
      directives.append(
        parameter.value.isEmpty
          ? parameter.name : parameter.name + "=" + FieldSyntax.quoted(parameter.value))
    }
    return directives.joined(separator: ", ")
  }
}
