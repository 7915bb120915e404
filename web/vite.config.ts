// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vitest/config";

// The page: index.html and three assets under fixed names, which the C++ build embeds.
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2020",
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        inlineDynamicImports: true,
        entryFileNames: "assets/app.js",
        assetFileNames: "assets/app[extname]",
      },
    },
  },
  server: { port: 5173, strictPort: true, proxy: { "/v1": "http://127.0.0.1:5055" } },
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "scripts/*.test.mjs"],
    environment: "node",
  },
});
