import CurlewTestHarness
import Testing

/// What AFNetworking 2.7.0 and 4.0.1 tested of their session managers, and where Curlew tests the same.
@Suite struct AFNetworkingSessionListTests {
  private static let rows: [PeerBehaviour] = [
    .test(
      "AFHTTPSessionManagerTests.ThatOperationInvokesCompletionHandlerWithResponseObjectOnSuccess",
      "a data task has a response and a value, or an error"),
    .test(
      "AFHTTPSessionManagerTests.ThatOperationInvokesFailureCompletionBlockWithErrorOnFailure",
      "a data task has a response and a value, or an error"),
    .test(
      "AFHTTPSessionManagerTests.ThatRedirectBlockIsCalledWhen302IsEncountered",
      "every hook is asked alone, without a subclass"),
    .test(
      "AFHTTPSessionManagerTests.DownloadFileCompletionSpecifiesURLInCompletionWithManagerDidFinishBlock",
      "the manager's destination comes before the task's own"),
    .test(
      "AFHTTPSessionManagerTests.DownloadFileCompletionSpecifiesURLInCompletionBlock",
      "a download ends in a file, and tells where it is"),
    .test(
      "AFHTTPSessionManagerTests.ThatSerializationErrorGeneratesErrorAndNullTaskForGET",
      "a request that cannot be made is one failure on the completion queue, and no task"),
    .none(
      "AFURLSessionManagerTests.UploadTasksProgressBecomesPartOfCurrentProgress",
      "A progress is a value; a program adds the values that it wants together."),
    .none(
      "AFURLSessionManagerTests.DownloadTasksProgressBecomesPartOfCurrentProgress",
      "A progress is a value; a program adds the values that it wants together."),
    .test(
      "AFURLSessionManagerTests.DidResumeNotificationIsReceivedByLocalDataTaskAfterResume",
      "a task posts resume, suspend and complete once for each change, from the main queue"),
    .test(
      "AFURLSessionManagerTests.DidSuspendNotificationIsReceivedByLocalDataTaskAfterSuspend",
      "a task posts resume, suspend and complete once for each change, from the main queue"),
    .none(
      "AFURLSessionManagerTests.DidResumeNotificationIsReceivedByBackgroundDataTaskAfterResume",
      "A background session has downloads and uploads of files, whose results can wait for the next process."),
    .none(
      "AFURLSessionManagerTests.DidSuspendNotificationIsReceivedByBackgroundDataTaskAfterSuspend",
      "A background session has downloads and uploads of files, whose results can wait for the next process."),
    .test(
      "AFURLSessionManagerTests.DidResumeNotificationIsReceivedByLocalUploadTaskAfterResume",
      "a task posts resume, suspend and complete once for each change, from the main queue"),
    .test(
      "AFURLSessionManagerTests.DidSuspendNotificationIsReceivedByLocalUploadTaskAfterSuspend",
      "a task posts resume, suspend and complete once for each change, from the main queue"),
    .test(
      "AFURLSessionManagerTests.DidResumeNotificationIsReceivedByBackgroundUploadTaskAfterResume",
      "the tasks of a background session are tasks of its manager, and tell of resume and suspend"),
    .test(
      "AFURLSessionManagerTests.DidSuspendNotificationIsReceivedByBackgroundUploadTaskAfterSuspend",
      "the tasks of a background session are tasks of its manager, and tell of resume and suspend"),
    .test(
      "AFURLSessionManagerTests.DidResumeNotificationIsReceivedByLocalDownloadTaskAfterResume",
      "a task posts resume, suspend and complete once for each change, from the main queue"),
    .test(
      "AFURLSessionManagerTests.DidSuspendNotificationIsReceivedByLocalDownloadTaskAfterSuspend",
      "a task posts resume, suspend and complete once for each change, from the main queue"),
    .test(
      "AFURLSessionManagerTests.DidResumeNotificationIsReceivedByBackgroundDownloadTaskAfterResume",
      "the tasks of a background session are tasks of its manager, and tell of resume and suspend"),
    .test(
      "AFURLSessionManagerTests.DidSuspendNotificationIsReceivedByBackgroundDownloadTaskAfterSuspend",
      "the tasks of a background session are tasks of its manager, and tell of resume and suspend"),
    .none(
      "AFURLSessionManagerTests.BackgroundManagerReturnsExpectedClassForDataTask",
      "A background session has downloads and uploads of files, whose results can wait for the next process."),
    .test(
      "AFURLSessionManagerTests.BackgroundManagerReturnsExpectedClassForUploadTask",
      "the tasks of a background session are tasks of its manager, and tell of resume and suspend"),
    .test(
      "AFURLSessionManagerTests.BackgroundManagerReturnsExpectedClassForDownloadTask",
      "the tasks of a background session are tasks of its manager, and tell of resume and suspend"),
    .none(
      "AFHTTPSessionManagerTests.SharedManagerIsNotEqualToInitedManager",
      "There is no shared manager; an app passes its own."),
    .test(
      "AFHTTPSessionManagerTests.SettingHTTPHeadersPerRequestCanReplaceTheDefaultValueSpecifiedInRequestSerializer",
      "fields of a call replace those of the serializer and of the manager"),
    .test(
      "AFHTTPSessionManagerTests.SupportsSecureCoding", "a manager is restored with its settings, and without secrets"),
    .test("AFHTTPSessionManagerTests.CanBeEncoded", "a manager is restored with its settings, and without secrets"),
    .test("AFHTTPSessionManagerTests.CanBeDecoded", "a manager is restored with its settings, and without secrets"),
    .test(
      "AFHTTPSessionManagerTests.CanBeCopied",
      "a copy has base URL, serializers, fields and policy, and a subclass stays itself"),
    .test("AFHTTPSessionManagerTests.DownloadProgressIsReportedForGET", "exactly one of success and failure is called"),
    .test("AFHTTPSessionManagerTests.UploadProgressIsReportedForPOST", "the progress of a POST is that of its body"),
    .test(
      "AFHTTPSessionManagerTests.UploadProgressIsReportedForStreamingPost",
      "no field of a call loses the boundary of a form"),
    .test("AFHTTPSessionManagerTests.ThatSuccessBlockIsCalledFor200", "exactly one of success and failure is called"),
    .test("AFHTTPSessionManagerTests.ThatFailureBlockIsCalledFor404", "exactly one of success and failure is called"),
    .test(
      "AFHTTPSessionManagerTests.ThatResponseObjectIsEmptyFor204", "a 204 is a success whose value casts to nothing"),
    .test("AFHTTPSessionManagerTests.GET", "each verb puts its parameters where they belong"),
    .test("AFHTTPSessionManagerTests.HEAD", "each verb puts its parameters where they belong"),
    .test("AFHTTPSessionManagerTests.POST", "each verb puts its parameters where they belong"),
    .test("AFHTTPSessionManagerTests.POSTWithConstructingBody", "no field of a call loses the boundary of a form"),
    .test("AFHTTPSessionManagerTests.PUT", "each verb puts its parameters where they belong"),
    .test("AFHTTPSessionManagerTests.DELETE", "each verb puts its parameters where they belong"),
    .test("AFHTTPSessionManagerTests.PATCH", "each verb puts its parameters where they belong"),
    .test("AFHTTPSessionManagerTests.HiddenBasicAuthentication", "basic authorization is set and taken back"),
    .test(
      "AFHTTPSessionManagerTests.ValidSecureNoPinningSecurityPolicy",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.ValidInsecureNoPinningSecurityPolicy",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.ValidCertificatePinningSecurityPolicy",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.InvalidCertificatePinningSecurityPolicy",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.ValidPublicKeyPinningSecurityPolicy",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.InvalidPublicKeyPinningSecurityPolicy",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.InvalidCertificatePinningSecurityPolicyWithoutBaseURL",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.InvalidPublicKeyPinningSecurityPolicyWithoutBaseURL",
      "a policy with pins is refused for a plain http base"),
    .test(
      "AFHTTPSessionManagerTests.InvalidServerTrustProducesCorrectErrorForCertificatePinning",
      "pins that do not match are the typed error of the task"),
    .test(
      "AFHTTPSessionManagerTests.InvalidServerTrustProducesCorrectErrorForPublicKeyPinning",
      "pins that do not match are the typed error of the task"),
    .test(
      "AFHTTPSessionManagerTests.AuthenticationChallengeHandlerCredentialResult",
      "the four answers to a challenge, at once or later"),
    .test(
      "AFHTTPSessionManagerTests.ThatServerTrustErrorIsCreatedWithProperUserInfoWithAllParameters",
      "pins that do not match are the typed error of the task"),
    .none(
      "AFHTTPSessionManagerTests.ThatServerTrustErrorIsCreatedWithProperUserInfoWhenTrustIsNil",
      "The parts of the error are typed, and a refusal always has its host."),
    .none(
      "AFHTTPSessionManagerTests.ThatServerTrustErrorIsCreatedWithProperUserInfoWhenURLIsNil",
      "The parts of the error are typed, and a refusal always has its host."),
    .none(
      "AFHTTPSessionManagerTests.ThatServerTrustErrorIsCreatedWithProperUserInfoAllParametersAreNil",
      "The parts of the error are typed, and a refusal always has its host."),
    .test(
      "AFURLSessionManagerTests.DataTaskDoesReportDownloadProgress",
      "progress handlers get one final snapshot in each direction"),
    .none(
      "AFURLSessionManagerTests.DataTaskDownloadProgressCanBeKVOd",
      "Swift has no key-value observing on Linux; progress is a sequence, and handlers are called."),
    .test(
      "AFURLSessionManagerTests.DownloadTaskDoesReportProgress", "a download ends in a file, and tells where it is"),
    .test(
      "AFURLSessionManagerTests.SessionTaskDoesReportMetrics",
      "handlers come in order, on their queues, before the group is left"),
    .test(
      "AFURLSessionManagerTests.SessionIsStillValid",
      "cancelling ends the tasks at once, and a new session takes the next"),
    .test(
      "AFURLSessionManagerTests.SessionRecreatesAgain",
      "a transport that the session made is shut down with it, and another is made"),
    .test(
      "AFURLSessionManagerTests.UploadTaskDoesReportProgress",
      "files, bytes and streams are uploaded, with one final progress"),
    .none(
      "AFURLSessionManagerTests.UploadProgressCanBeKVOd",
      "Swift has no key-value observing on Linux; progress is a sequence, and handlers are called."),
    .test(
      "AFURLSessionManagerTests.TaskMoveSuccessfullyAfterDownloading", "a download posts whether its file has its path"),
    .test("AFURLSessionManagerTests.TaskMoveFailedAfterDownloading", "a download posts whether its file has its path"),
  ]

  @Test func `every behaviour has a test that exists, or a reason`() throws {
    let list = try Repository.file("Tests/SessionManagersTests/AFNetworking-sessions.txt")
    let names = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(Set(Self.rows.map(\.name)) == Set(names) && Self.rows.count == names.count)
    #expect(try PeerBehaviour.problems(in: Self.rows) == [])
  }
}
