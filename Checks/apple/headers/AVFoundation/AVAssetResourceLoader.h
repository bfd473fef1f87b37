// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// <AVFoundation/AVAssetResourceLoader.h>

@import Foundation;
#include "../Macros.h"

NONNULL_BEGIN

@class AVAssetResourceLoadingContentInformationRequest;
@class AVAssetResourceLoadingDataRequest;
@class AVAssetResourceLoadingRequestor;
@protocol AVAssetResourceLoaderDelegate;

@interface AVAssetResourceLoader : NSObject
- (instancetype)init __attribute__((unavailable));
- (void)setDelegate:(nullable id<AVAssetResourceLoaderDelegate>)delegate queue:(nullable OS_dispatch_queue *)delegateQueue SINCE(ios_6_0, macos_10_9);
@property (nonatomic, readonly, weak, nullable) id<AVAssetResourceLoaderDelegate> delegate SINCE(ios_6_0, macos_10_9);
@property (nonatomic, readonly, nullable) OS_dispatch_queue *delegateQueue SINCE(ios_6_0, macos_10_9);
@end

@interface AVAssetResourceLoadingRequest : NSObject
- (instancetype)init __attribute__((unavailable));
@property (nonatomic, readonly) NSURLRequest *request SINCE(ios_6_0, macos_10_9);
@property (readonly, getter=isFinished) BOOL finished SINCE(ios_6_0, macos_10_9);
@property (readonly, getter=isCancelled) BOOL cancelled SINCE(ios_7_0, macos_10_9);
@property (nonatomic, readonly, nullable) AVAssetResourceLoadingContentInformationRequest *contentInformationRequest SINCE(ios_7_0, macos_10_9);
@property (nonatomic, readonly, nullable) AVAssetResourceLoadingDataRequest *dataRequest SINCE(ios_7_0, macos_10_9);
@property (nonatomic, copy, nullable) NSURLResponse *response SINCE(ios_7_0, macos_10_9);
@property (nonatomic, copy, nullable) NSURLRequest *redirect SINCE(ios_7_0, macos_10_9);
- (void)finishLoading SINCE(ios_7_0, macos_10_9);
- (void)finishLoadingWithError:(nullable NSError *)error SWIFT_NAME(finishLoading(with:)) SINCE(ios_6_0, macos_10_9);
@end

@interface AVAssetResourceRenewalRequest : AVAssetResourceLoadingRequest
@end

@interface AVAssetResourceLoadingContentInformationRequest : NSObject
- (instancetype)init __attribute__((unavailable));
@property (nonatomic, copy, nullable) NSString *contentType SINCE(ios_7_0, macos_10_9);
@property (nonatomic, readonly, nullable) NSArray<NSString *> *allowedContentTypes SINCE(ios_11_2, macos_10_13);
@property (nonatomic) long long contentLength SINCE(ios_7_0, macos_10_9);
@property (nonatomic, getter=isByteRangeAccessSupported) BOOL byteRangeAccessSupported SINCE(ios_7_0, macos_10_9);
@property (nonatomic, copy, nullable) NSDate *renewalDate SINCE(ios_8_0, macos_10_10);
@property (nonatomic, getter=isEntireLengthAvailableOnDemand) BOOL entireLengthAvailableOnDemand SINCE(ios_16_0, macos_13_0);
@end

@interface AVAssetResourceLoadingDataRequest : NSObject
- (instancetype)init __attribute__((unavailable));
@property (nonatomic, readonly) long long requestedOffset SINCE(ios_7_0, macos_10_9);
@property (nonatomic, readonly) NSInteger requestedLength SINCE(ios_7_0, macos_10_9);
@property (nonatomic, readonly) BOOL requestsAllDataToEndOfResource SINCE(ios_9_0, macos_10_11);
@property (nonatomic, readonly) long long currentOffset SINCE(ios_7_0, macos_10_9);
- (void)respondWithData:(NSData *)data SWIFT_NAME(respond(with:)) SINCE(ios_7_0, macos_10_9);
@end

@protocol AVAssetResourceLoaderDelegate <NSObject>
@optional
- (BOOL)resourceLoader:(AVAssetResourceLoader *)resourceLoader shouldWaitForLoadingOfRequestedResource:(AVAssetResourceLoadingRequest *)loadingRequest SINCE(ios_6_0, macos_10_9);
- (BOOL)resourceLoader:(AVAssetResourceLoader *)resourceLoader shouldWaitForRenewalOfRequestedResource:(AVAssetResourceRenewalRequest *)renewalRequest SINCE(ios_8_0, macos_10_10);
- (void)resourceLoader:(AVAssetResourceLoader *)resourceLoader didCancelLoadingRequest:(AVAssetResourceLoadingRequest *)loadingRequest SWIFT_NAME(resourceLoader(_:didCancel:)) SINCE(ios_7_0, macos_10_9);
@end

NONNULL_END
