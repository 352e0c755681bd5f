/// An `Authorization` field that a scheme computes anew for each request, and the credentials behind it.
///
/// An interceptor that computes such a field sets this, so that a cache can tell users apart although the field always differs.
package struct ComputedCredentials: UserInfoKey, Sendable {
  package typealias Value = ComputedCredentials

  /// The value of the field.
  package var field: String
  /// A text that is the same for equal credentials only, with their secret.
  package var identity: String

  /// Creates credentials.
  package init(field: String, identity: String) {
    self.field = field
    self.identity = identity
  }
}
