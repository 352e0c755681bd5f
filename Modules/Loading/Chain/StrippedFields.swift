import CurlewCore
import HTTPTypes

/// The fields that a redirect to another origin has stripped.
///
/// Nil while all hops went to one origin.
enum StrippedFields: UserInfoKey {
  typealias Value = Set<HTTPField.Name>
}

/// The stripped fields that the jar or an answered challenge set for this hop.
private enum GrantedFields: UserInfoKey {
  typealias Value = HTTPFields
}

/// Records what the app's per-hop interceptors may leave in the stripped fields.
struct StrippedFieldsEntry: Interceptor {
  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let names = exchange[StrippedFields.self] else { return try await next(request, in: exchange) }
    let granted = HTTPFields(request.headerFields.filter { names.contains($0.name) })
    return try await next(request, in: exchange.derived { $0.userInfo[GrantedFields.self] = granted })
  }
}

/// Removes what the app's per-hop interceptors put into the stripped fields.
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
