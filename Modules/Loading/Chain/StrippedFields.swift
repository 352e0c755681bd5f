import CurlewCore
import HTTPTypes

/// The names of the fields that a redirect to another origin has stripped; nil while all hops were to one origin.
enum StrippedFields: UserInfoKey {
  typealias Value = Set<HTTPField.Name>
}

/// The stripped fields that were set for this very hop, by the jar or by an answered challenge.
private enum GrantedFields: UserInfoKey {
  typealias Value = HTTPFields
}

/// Notes what the app's per-hop interceptors may leave in the fields that a redirect stripped.
struct StrippedFieldsEntry: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let names = exchange[StrippedFields.self] else { return try await next(request, in: exchange) }
    let granted = HTTPFields(request.headerFields.filter { names.contains($0.name) })
    return try await next(request, in: exchange.derived { $0.userInfo[GrantedFields.self] = granted })
  }
}

/// Takes away what the app's per-hop interceptors put into the fields that a redirect stripped.
struct StrippedFieldsExit: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let names = exchange[StrippedFields.self] else { return try await next(request, in: exchange) }
    let granted = exchange[GrantedFields.self] ?? [:]
    var narrowed = request
    narrowed.headerFields = HTTPFields(
      request.headerFields.filter { field in
        !names.contains(field.name) || granted[values: field.name].contains(field.value)
      })
    return try await next(narrowed, in: exchange)
  }
}
