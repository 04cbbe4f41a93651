import { defineConfig } from "vite";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    // Beside the compiled gateway, which serves it and is published with it.
    outDir: "../gateway/dist/console",
    emptyOutDir: true,
    target: "es2022",
    // The content security policy allows files of the page's own only, not what is written into addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
