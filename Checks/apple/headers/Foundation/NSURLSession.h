// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <Foundation/NSURLRequest.h>, NSURLResponse.h, NSURLCache.h, NSHTTPCookieStorage.h, NSURLCredentialStorage.h,
// NSURLSession.h

@import ObjectiveC;
#include "NSObjects.h"
#include "NSNotification.h"

NONNULL_BEGIN

typedef OPEN_ENUM(NSUInteger, NSURLRequestCachePolicy) {
    NSURLRequestUseProtocolCachePolicy = 0,
    NSURLRequestReloadIgnoringLocalCacheData = 1,
    NSURLRequestReloadIgnoringLocalAndRemoteCacheData = 4,
    NSURLRequestReturnCacheDataElseLoad = 2,
    NSURLRequestReturnCacheDataDontLoad = 3,
    NSURLRequestReloadRevalidatingCacheData = 5,
} SWIFT_NAME(NSURLRequest.CachePolicy);

SWIFT_BRIDGE(Foundation.URLRequest)
SWIFT_SENDABLE
@interface NSURLRequest : NSObject <NSCopying>
@end

SWIFT_NAME(URLResponse)
SWIFT_SENDABLE
@interface NSURLResponse : NSObject <NSCopying>
@property (nullable, readonly, copy) NSURL *URL SWIFT_NAME(url) SINCE(ios_2_0, macos_10_2);
@property (nullable, readonly, copy) NSString *MIMEType SWIFT_NAME(mimeType) SINCE(ios_2_0, macos_10_2);
@property (readonly) long long expectedContentLength SINCE(ios_2_0, macos_10_2);
@end

SWIFT_NAME(HTTPURLResponse)
SWIFT_SENDABLE
@interface NSHTTPURLResponse : NSURLResponse
@property (readonly) NSInteger statusCode SINCE(ios_2_0, macos_10_2);
@property (readonly, copy) NSDictionary *allHeaderFields SINCE(ios_2_0, macos_10_2);
- (nullable NSString *)valueForHTTPHeaderField:(NSString *)field SINCE(ios_13_0, macos_10_15);
@end

SWIFT_NAME(URLCache)
SWIFT_SENDABLE
@interface NSURLCache : NSObject
@end

typedef OPEN_ENUM(NSUInteger, NSHTTPCookieAcceptPolicy) {
    NSHTTPCookieAcceptPolicyAlways = 0,
    NSHTTPCookieAcceptPolicyNever = 1,
    NSHTTPCookieAcceptPolicyOnlyFromMainDocumentDomain = 2,
} SWIFT_NAME(HTTPCookie.AcceptPolicy);

SWIFT_NAME(HTTPCookie)
SWIFT_SENDABLE
@interface NSHTTPCookie : NSObject
@end

SWIFT_NAME(HTTPCookieStorage)
SWIFT_SENDABLE
@interface NSHTTPCookieStorage : NSObject
@end

SWIFT_NAME(URLCredential)
SWIFT_SENDABLE
@interface NSURLCredential : NSObject <NSCopying>
@end

SWIFT_NAME(URLCredentialStorage)
SWIFT_SENDABLE
@interface NSURLCredentialStorage : NSObject
@end

SWIFT_NAME(URLAuthenticationChallenge)
SWIFT_SENDABLE
@interface NSURLAuthenticationChallenge : NSObject
@end

typedef OPEN_ENUM(NSInteger, NSURLSessionTaskState) {
    NSURLSessionTaskStateRunning = 0,
    NSURLSessionTaskStateSuspended = 1,
    NSURLSessionTaskStateCanceling = 2,
    NSURLSessionTaskStateCompleted = 3,
} SWIFT_NAME(URLSessionTask.State);

SWIFT_NAME(URLSessionTask)
SWIFT_SENDABLE
@interface NSURLSessionTask : NSObject <NSCopying>
@property (readonly) NSInteger taskIdentifier SINCE(ios_7_0, macos_10_9);
@property (nullable, readonly, copy) NSURLRequest *originalRequest SINCE(ios_7_0, macos_10_9);
@property (nullable, readonly, copy) NSURLResponse *response SINCE(ios_7_0, macos_10_9);
@property (readonly) NSURLSessionTaskState state SINCE(ios_7_0, macos_10_9);
@property (nullable, readonly, copy) NSError *error SINCE(ios_7_0, macos_10_9);
- (void)cancel SINCE(ios_7_0, macos_10_9);
- (void)suspend SINCE(ios_7_0, macos_10_9);
- (void)resume SINCE(ios_7_0, macos_10_9);
@end

SWIFT_NAME(URLSessionDataTask)
SWIFT_SENDABLE
@interface NSURLSessionDataTask : NSURLSessionTask
@end

SWIFT_NAME(URLSessionConfiguration)
SWIFT_SENDABLE
@interface NSURLSessionConfiguration : NSObject <NSCopying>
@property (class, readonly, strong) NSURLSessionConfiguration *defaultSessionConfiguration SWIFT_NAME(default) SINCE(ios_7_0, macos_10_9);
@property (class, readonly, strong) NSURLSessionConfiguration *ephemeralSessionConfiguration SWIFT_NAME(ephemeral) SINCE(ios_7_0, macos_10_9);
@property NSURLRequestCachePolicy requestCachePolicy SINCE(ios_7_0, macos_10_9);
@property NSTimeInterval timeoutIntervalForRequest SINCE(ios_7_0, macos_10_9);
@property NSTimeInterval timeoutIntervalForResource SINCE(ios_7_0, macos_10_9);
@property BOOL allowsCellularAccess SINCE(ios_7_0, macos_10_9);
@property BOOL allowsExpensiveNetworkAccess SINCE(ios_13_0, macos_10_15);
@property BOOL allowsConstrainedNetworkAccess SINCE(ios_13_0, macos_10_15);
@property BOOL waitsForConnectivity SINCE(ios_11_0, macos_10_13);
@property BOOL HTTPShouldSetCookies SWIFT_NAME(httpShouldSetCookies) SINCE(ios_7_0, macos_10_9);
@property NSHTTPCookieAcceptPolicy HTTPCookieAcceptPolicy SWIFT_NAME(httpCookieAcceptPolicy) SINCE(ios_7_0, macos_10_9);
@property (nullable, copy) NSDictionary *HTTPAdditionalHeaders SWIFT_NAME(httpAdditionalHeaders) SINCE(ios_7_0, macos_10_9);
@property NSInteger HTTPMaximumConnectionsPerHost SWIFT_NAME(httpMaximumConnectionsPerHost) SINCE(ios_7_0, macos_10_9);
@property (nullable, retain) NSHTTPCookieStorage *HTTPCookieStorage SWIFT_NAME(httpCookieStorage) SINCE(ios_7_0, macos_10_9);
@property (nullable, retain) NSURLCredentialStorage *URLCredentialStorage SWIFT_NAME(urlCredentialStorage) SINCE(ios_7_0, macos_10_9);
@property (nullable, retain) NSURLCache *URLCache SWIFT_NAME(urlCache) SINCE(ios_7_0, macos_10_9);
@end

@class NSURLSession;

typedef OPEN_ENUM(NSInteger, NSURLSessionResponseDisposition) {
    NSURLSessionResponseCancel = 0,
    NSURLSessionResponseAllow = 1,
    NSURLSessionResponseBecomeDownload = 2,
    NSURLSessionResponseBecomeStream = 3,
} SWIFT_NAME(NSURLSession.ResponseDisposition);

typedef OPEN_ENUM(NSInteger, NSURLSessionAuthChallengeDisposition) {
    NSURLSessionAuthChallengeUseCredential = 0,
    NSURLSessionAuthChallengePerformDefaultHandling = 1,
    NSURLSessionAuthChallengeCancelAuthenticationChallenge = 2,
    NSURLSessionAuthChallengeRejectProtectionSpace = 3,
} SWIFT_NAME(NSURLSession.AuthChallengeDisposition);

SWIFT_NAME(URLSessionDelegate)
SWIFT_SENDABLE
@protocol NSURLSessionDelegate <NSObject>
@optional
- (void)URLSession:(NSURLSession *)session didBecomeInvalidWithError:(nullable NSError *)error SWIFT_NAME(urlSession(_:didBecomeInvalidWithError:)) SINCE(ios_7_0, macos_10_9);
@end

SWIFT_NAME(URLSessionTaskDelegate)
SWIFT_SENDABLE
@protocol NSURLSessionTaskDelegate <NSURLSessionDelegate>
@optional
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task willPerformHTTPRedirection:(NSHTTPURLResponse *)response newRequest:(NSURLRequest *)request completionHandler:(void (SWIFT_SENDABLE ^)(NSURLRequest *_Nullable))completionHandler SWIFT_NAME(urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)) SINCE(ios_7_0, macos_10_9);
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task didReceiveChallenge:(NSURLAuthenticationChallenge *)challenge completionHandler:(void (SWIFT_SENDABLE ^)(NSURLSessionAuthChallengeDisposition disposition, NSURLCredential *_Nullable credential))completionHandler SWIFT_NAME(urlSession(_:task:didReceive:completionHandler:)) SINCE(ios_7_0, macos_10_9);
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task didCompleteWithError:(nullable NSError *)error SWIFT_NAME(urlSession(_:task:didCompleteWithError:)) SINCE(ios_7_0, macos_10_9);
- (void)URLSession:(NSURLSession *)session taskIsWaitingForConnectivity:(NSURLSessionTask *)task SWIFT_NAME(urlSession(_:taskIsWaitingForConnectivity:)) SINCE(ios_11_0, macos_10_13);
@end

SWIFT_NAME(URLSessionDataDelegate)
SWIFT_SENDABLE
@protocol NSURLSessionDataDelegate <NSURLSessionTaskDelegate>
@optional
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)dataTask didReceiveResponse:(NSURLResponse *)response completionHandler:(void (SWIFT_SENDABLE ^)(NSURLSessionResponseDisposition disposition))completionHandler SWIFT_NAME(urlSession(_:dataTask:didReceive:completionHandler:)) SINCE(ios_7_0, macos_10_9);
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)dataTask didReceiveData:(NSData *)data SWIFT_NAME(urlSession(_:dataTask:didReceive:)) SINCE(ios_7_0, macos_10_9);
@end

SWIFT_NAME(URLSession)
SWIFT_SENDABLE
@interface NSURLSession : NSObject
+ (instancetype)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration delegate:(nullable id<NSURLSessionDelegate>)delegate delegateQueue:(nullable NSOperationQueue *)queue SWIFT_NAME(init(configuration:delegate:delegateQueue:)) SINCE(ios_7_0, macos_10_9);
@property (class, readonly, strong) NSURLSession *sharedSession SWIFT_NAME(shared) SINCE(ios_7_0, macos_10_9);
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request SWIFT_NAME(dataTask(with:)) SINCE(ios_7_0, macos_10_9);
- (void)finishTasksAndInvalidate SINCE(ios_7_0, macos_10_9);
- (void)invalidateAndCancel SINCE(ios_7_0, macos_10_9);
@end

NONNULL_END
