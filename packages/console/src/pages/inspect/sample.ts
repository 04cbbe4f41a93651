/** An answer that was cut in the middle of a tool call, which must not be run. */
export const SAMPLE = `data: {"id":"chatcmpl-1","model":"some-model","choices":[{"index":0,"delta":{"role":"assistant","content":"Let me look that up. "}}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}]}}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"city\\": \\"Os"}}]}}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}

data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":41,"completion_tokens":16,"total_tokens":57}}

data: [DONE]

`;
