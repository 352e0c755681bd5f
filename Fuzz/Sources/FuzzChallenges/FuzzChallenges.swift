import CurlewCore
import FoundationEssentials
import FuzzKit
import HTTPTypes

/// Fuzzes challenges, authentication information, and the answers to them.
@main enum FuzzChallenges: FuzzTarget {
  static func read(_ bytes: Data) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let info = try? AuthenticationInfoField(text) { demand(areWellFormed(info.parameters), "odd parameters") }
    guard let challenges = try? AuthenticationChallengeField.parse(text) else { return }
    demand(challenges.count <= AuthenticationChallengeField.maximumChallenges, "too many challenges")
    for challenge in challenges {
      demand(!challenge.scheme.isEmpty && isToken(challenge.scheme), "a scheme is no token")
      demand(challenge.token68 == nil || challenge.parameters.isEmpty, "a single value beside parameters")
      demand(areWellFormed(challenge.parameters), "odd parameters")
      let answer = try? AuthorizationField(
        scheme: challenge.scheme, parameters: challenge.parameters.map { .init($0.name, $0.value) })
      demand(
        answer?.fieldValue.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } != true, "a line break is written")
    }
    guard HTTPField.isValidValue(text) else { return }
    let answers = AnsweredChallenge.answers(to: text)
    demand(answers.count <= 12, "a challenge is answered again and again")
    for answer in answers {
      demand(HTTPField.isValidValue(answer), "an answer that is no field value")
      demand(answer.utf8.count < 32_768, "an answer of any length")
    }
  }

  private static func areWellFormed(_ parameters: [FieldParameter]) -> Bool {
    let names = parameters.map(\.name)
    return names.count <= AuthenticationChallengeField.maximumParameters && Set(names).count == names.count
      && names.allSatisfy { !$0.isEmpty && isToken($0) && $0 == $0.lowercased() }
  }

  private static func isToken(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
  }
}
