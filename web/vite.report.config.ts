// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vite";

// What `hone report` puts inline into its file: one script that runs by itself, one style sheet.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  publicDir: false,
  build: {
    target: "es2020",
    outDir: "dist/report",
    emptyOutDir: true,
    cssCodeSplit: false,
    lib: {
      entry: "src/report.tsx",
      formats: ["iife"],
      name: "HoneReport",
      fileName: () => "report.js",
    },
    rollupOptions: { output: { assetFileNames: "report[extname]" } },
  },
  define: { "process.env.NODE_ENV": '"production"' },
});
