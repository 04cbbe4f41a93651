/** The SDK warns of models that it does not know, which here are all. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
