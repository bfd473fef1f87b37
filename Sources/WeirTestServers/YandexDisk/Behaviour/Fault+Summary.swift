// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Fault.Name {
    /// What goes wrong, in a line for people, with what a number means.
    public var summary: String {
        switch self {
        case .linkGone:
            "The link has expired: 410"
        case .linkBroken:
            "The link has expired or is damaged: 500"
        case .linkForbidden:
            "The link is refused: 403"
        case .linkUnauthorized:
            "The link is refused: 401"
        case .linkMissing:
            "The link leads nowhere: 404"
        case .linkRedirected:
            "The link leads to another host: 302, with a cookie"
        case .pageInstead:
            "A page comes in the place of media: 200, as a network does that wants a"
                + " log-in"
        case .tokenRefused:
            "A valid token is refused: 401"
        case .refreshRefused:
            "A valid refresh token is refused, and stays valid: 400 invalid_grant"
        case .authorizationDenied:
            "The person says no: access_denied"
        case .rateLimited:
            "Too many requests: 429; the number is what Retry-After says, without one"
                + " there is none"
        case .downloadLimit:
            "A public file has been downloaded too often: 429, for good"
        case .forbidden:
            "There is no permission: 403"
        case .locked:
            "The file is locked: 423"
        case .unavailable:
            "The service is down: 503; the number is what Retry-After says, without one"
                + " there is none"
        case .diskFull:
            "The disk is full: 507"
        case .jsonMalformed:
            "The JSON is not JSON"
        case .jsonTruncated:
            "The JSON ends in the middle, as if that were all of it"
        case .noReadyLink:
            "The description of a file has no ready link"
        case .linkOfOtherScheme:
            "The link is no HTTP URL"
        case .fileChanged:
            "The file is changed just before the link is made"
        case .wrongRangeStart:
            "Content-Range says another start; the number is by how much, 1"
        case .wrongRangeTotal:
            "Content-Range says another length of the file; the number is by how much, 1"
        case .unknownRangeTotal:
            "Content-Range does not say how long the file is"
        case .rangeIgnored:
            "The whole file comes for a part of it"
        case .bodyCut:
            "The connection ends in the body; the number is after how many bytes, 0"
        case .bodyStalled:
            "The body stops and the connection stays; the number is after how many"
                + " bytes, 0"
        case .slowFirstByte:
            "The answer comes late; the number is milliseconds, 1000"
        case .answerLost:
            "The request is dealt with, but the connection ends before the answer"
        }
    }
}
