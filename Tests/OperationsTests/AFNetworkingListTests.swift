import CurlewTestHarness
import Testing

/// What AFNetworking 2.7.0 tested of its operations, and where Curlew tests the same.
@Suite struct AFNetworkingListTests {
  private static let rows: [PeerBehaviour] = [
    // AFHTTPRequestOperationTests
    .test(
      "ThatOperationInvokesSuccessCompletionBlockWithResponseObjectOnSuccess",
      "a success has a typed value, and only the success block is called"),
    .test(
      "ThatOperationInvokesFailureCompletionBlockWithErrorOnFailure",
      "a status that is refused keeps the start of the body and nothing else"),
    .test("ThatCancellationOfRequestOperationSetsError", "a cancelled one calls the failure block once"),
    .test(
      "ThatCancellationOfRequestOperationInvokesFailureCompletionBlock", "a cancelled one calls the failure block once"),
    .test(
      "That500StatusCodeInvokesFailureCompletionBlockWithErrorOnFailure",
      "a status that is refused keeps the start of the body and nothing else"),
    .test(
      "ThatRedirectBlockIsCalledWhen302IsEncountered", "the redirect block is called for each redirect, and nil stops"),
    .test(
      "ThatRedirectBlockIsCalledMultipleTimesWhenMultiple302sAreEncountered",
      "the redirect block is called for each redirect, and nil stops"),
    .test("ThatOperationCanBePaused", "every sequence of six calls has its states, and every operation ends once"),
    .test("ThatPausedOperationCanBeResumed", "the rest is asked for and joined"),
    .test("ThatPausedOperationCanBeCompleted", "the rest is asked for and joined"),
    .none(
      "ThatTextStringEncodingIsISOLatin1WhenNoCharsetParameterIsProvided",
      "A rule of RFC 2616 that RFC 9110 dropped; AFNetworking 2 takes UTF-8 too."),
    .test(
      "ThatTextStringEncodingIsShiftJISWhenShiftJISCharsetParameterIsProvided",
      "text is decoded in its charset, and in UTF-8 where that is unknown"),
    .test(
      "ThatTextStringEncodingIsUTF8WhenInvalidCharsetParameterIsProvided",
      "text is decoded in its charset, and in UTF-8 where that is unknown"),
    .test(
      "ThatTextStringEncodingIsUTF8WhenUTF8CharsetParameterIsProvided",
      "text is decoded in its charset, and in UTF-8 where that is unknown"),
    .test(
      "PauseResumeStallsNetworkThread", "every completion runs once and every queue drains, whatever eight threads call"
    ),
    .test("ThatOperationInvokesSuccessCompletionBlockOn204", "a 204 is a success without a value to decode"),
    .test(
      "ThatCancellationOfRequestBeforeStartingRequestSetsError",
      "cancelling before the start sends nothing, and the outcome is there at once"),
    .test(
      "ThatCancellationOfRequestBeforeStartingRequestSetsErrorInvokesFailureCompletionBlock",
      "every completion runs once and every queue drains, whatever eight threads call"),
    .test(
      "ThatOperationPostsDidStartNotificationWhenStarted",
      "an observer with a queue of its own does not stop the transport"),
    .test(
      "ThatOperationPostsDidFinishNotificationWhenFinished",
      "an observer with a queue of its own does not stop the transport"),
    .test(
      "ThatOperationInvokesFailureCompletionBlockWithErrorOnWritingStreamFailure",
      "a stream that takes nothing fails the operation at once"),
    .test(
      "ThatOperationInvokesSuccessCompletionBlockForHTTPSRequest",
      "the challenge block is asked about a certificate that the policy refuses"),
    // AFURLConnectionOperationTests
    .test(
      "ThatAFURLConnectionOperationInvokesWillSendRequestForAuthenticationChallengeBlock",
      "the challenge block answers in place of the credential"),
    .none(
      "ThatAFURLConnectionOperationTrustsPinnedCertificates",
      "SecurityPolicy's own tests; an operation only passes it on."),
    .none(
      "ThatAFURLConnectionOperationTrustsPinnedPublicKeys",
      "SecurityPolicy's own tests; an operation only passes it on."),
    .none(
      "ThatAFURLConnectionOperationTrustsPublicKeysOfDerivedCertificates",
      "SecurityPolicy's own tests; an operation only passes it on."),
    .none(
      "ThatAFURLConnectionOperationTrustsDerivedCertificates",
      "SecurityPolicy's own tests; an operation only passes it on."),
    // AFHTTPClientTests, of the manager
    .none("InitRaisesException", "An initializer that makes no sense does not compile."),
    .test("AuthorizationHeaderWithInvalidUsernamePassword", "basic authorization is set and taken back"),
    .test("AuthorizationHeaderWithValidUsernamePassword", "basic authorization is set and taken back"),
    .test("ThatClientClearsAuthorizationHeader", "basic authorization is set and taken back"),
    .test("AFQueryStringFromParametersWithEncodingWithPlainDictionary", "AFNetworking's style, byte for byte"),
    .test("AFQueryStringFromParametersWithEncodingWithComplexNestedParameters", "AFNetworking's style, byte for byte"),
    .test("ThatAFQueryStringFromParametersWithEncodingAppliesPercentEscapes", "AFNetworking's style, byte for byte"),
    .test("ThatTheDefaultStringEncodingIsUTF8", "text of every plane comes back, as a name and as a value"),
    .test(
      "ConstructingPOSTRequestWithParametersInJSONParameterEncoding",
      "parameters are a JSON body, of methods without one a query"),
    .test("ConstructingPOSTRequestWithParametersInPropertyListParameterEncoding", "property lists conform"),
    .test("DefaultHeaders", "settings reach the operations that are made afterwards"),
    .none("ReachabilityStatus", "The manager keeps the app's monitor and asks it nothing."),
    .none("JSONRequestOperationContruction", "A serializer takes the place of a class for each format."),
    .none("XMLRequestOperationContruction", "A serializer takes the place of a class for each format."),
    .none("ImageRequestOperationContruction", "A serializer takes the place of a class for each format."),
    .test(
      "ThatEnqueueBatchOfHTTPRequestOperationsFiresCompletionBlockAfterEveryRequestCompleted",
      "it counts each end once, in order, and completes after all blocks"),
    .test("ThatClientUsesDefaultCredential", "settings reach the operations that are made afterwards"),
    .test(
      "ThatCancelAllHTTPOperationsWithMethodPathCancelsOnlyMatchingOperations",
      "operations are cancelled by method and path"),
    .test(
      "ConstructingPOSTRequestWithParametersInFormURLParameterEncoding",
      "each verb puts its parameters where they belong"),
    .test("PostWithParameters", "each verb puts its parameters where they belong"),
    .test(
      "ThatEnqueueBatchOfHTTPRequestOperationsEnqueuesOperationsInTheCorrectOrder",
      "it counts each end once, in order, and completes after all blocks"),
    .none(
      "ThatEnqueueBatchOfHTTPRequestOperationsConstructsOperationsWithAppropriateRegisteredHTTPRequestOperationClasses",
      "A serializer takes the place of registered classes; FormatRegistry chooses by media type."),
    .none(
      "MultipartUploadDoesNotFailDueToStreamSentAnEventBeforeBeingOpenedError",
      "A body is pulled; streams get no events."),
    // AFJSONRequestOperationTests and AFImageRequestOperationTests
    .test(
      "ThatJSONResponseObjectIsNotNilWhenValidJSONIsReturned",
      "a success has a typed value, and only the success block is called"),
    .test(
      "ThatJSONResponseObjectIsNilWhenErrorOccurs",
      "a status that is refused keeps the start of the body and nothing else"),
    .test(
      "ThatJSONRequestOperationDoesNotAcceptInvalidContentType", "a wrong media type is refused before the body is read"
    ),
    .test(
      "ThatJSONRequestOperationAcceptsApplicationJSON", "JSON's types are taken"),
    .test(
      "ThatJSONRequestOperationAcceptsTextJSON", "JSON's types are taken"),
    .test(
      "ThatJSONRequestOperationAcceptsTextJavascript", "JSON's types are taken"),
    .test(
      "ThatJSONRequestOperationAcceptsCustomContentType", "JSON's types are taken"),
    .test("ThatImageRequestOperationAcceptsTIFFContentType", "every media type of the predecessors is acceptable"),
    .test("ThatImageRequestOperationAcceptsJPEGContentType", "every media type of the predecessors is acceptable"),
    .test("ThatImageRequestOperationAcceptsGIFContentType", "every media type of the predecessors is acceptable"),
    .test("ThatImageRequestOperationAcceptsPNGContentType", "every media type of the predecessors is acceptable"),
    .test("ThatImageRequestOperationAcceptsIconContentTypes", "every media type of the predecessors is acceptable"),
    .test("ThatImageRequestOperationAcceptsBitmapContentTypes", "every media type of the predecessors is acceptable"),
    .test(
      "ThatImageRequestOperationDoesNotAcceptInvalidFormatTypes",
      "a wrong media type is refused before the body is read"),
    .none(
      "ThatImageResponseIsNotNilWhenRequestSucceeds", "Images are read by their header (CurlewImageBytes), not decoded."
    ),
    .test(
      "ThatImageResponseIsNilWhenRequestFails", "a status that is refused keeps the start of the body and nothing else"),
    .none(
      "ImageProcessingBlockIsRunOnSuccess", "There is no picture to process; a serializer of the app's own makes one."),
    .none(
      "ImageProcessingBlockIsNotRunOnFailure",
      "There is no picture to process; a serializer of the app's own makes one."),
  ]

  @Test func `every behaviour has a test that exists, or a reason`() throws {
    let list = try Repository.file("Tests/OperationsTests/AFNetworking-2.7.0.txt")
    let names = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(Set(Self.rows.map(\.name)) == Set(names) && Self.rows.count == names.count)
    #expect(try PeerBehaviour.problems(in: Self.rows) == [])
  }
}
