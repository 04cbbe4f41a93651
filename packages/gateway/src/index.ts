export { defineConfig } from "./config/define-config.ts";
export type { GatewayConfigInput } from "./config/define-config.ts";
