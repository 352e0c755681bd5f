package import CurlewCore
package import CurlewSerialization
import FoundationEssentials
package import HTTPTypes

/// The settings that archives of operation managers and of session managers have in common.
///
/// They are written into the container of such an archive, beside the settings of its own. Secrets in the base URL and the
/// header fields are omitted unless the encoder's `userInfo` has `includesSecrets`.
package struct ArchivedSettings: Sendable, Codable {
  package let baseURL: BaseURL?
  /// The names of components; nil for one that the app has not set.
  package var requestSerializer: ComponentName<any RequestSerializer>?
  package var responseSerializer: ComponentName<any ResponseSerializer>?
  package var securityPolicy: ComponentName<any ServerTrustEvaluating>?
  /// A request with the header fields and the options, which are archived by its rules.
  private let sample: RequestArchive

  package var headerFields: HTTPFields { sample.request.headerFields }
  package var options: RequestOptions { sample.request.options }
  package var omittedSecrets: [String] { sample.omittedSecrets }

  package init(baseURL: BaseURL?, headerFields: HTTPFields, options: RequestOptions = RequestOptions()) {
    self.baseURL = baseURL
    // This request is never sent.
    let place = URL(string: "http://settings.invalid/") ?? URL(filePath: "/")
    sample = RequestArchive(Request(.get, place, headerFields: headerFields, options: options))
  }
}
