// SPDX-License-Identifier: Apache-2.0
import { type Plugin, defineConfig } from "vite";

// Colours and rules for parts hold only within #plots, so that the rest of the report stays as it is.
function withinPlots(): Plugin {
  return {
    name: "within-plots",
    enforce: "pre",
    transform(code, id) {
      if (id.includes("tokens.css")) {
        return { code: code.replace(/^(\s*)(:root\S*) \{/gm, "$1$2 #plots {"), map: null };
      }
      if (!/style\/parts\/\w+\.css|uPlot\.min\.css/.test(id)) return null;
      const frames = code.match(/@keyframes[^{]+\{(?:[^{}]*\{[^}]*\})*\s*\}/g) ?? [];
      const rest = frames.reduce((text, frame) => text.replace(frame, ""), code);
      return { code: `#plots {\n${rest}\n}\n${frames.join("\n")}`, map: null };
    },
  };
}

// What `hone report` puts inline into its file: one script that runs by itself, one style sheet.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  plugins: [withinPlots()],
  publicDir: false,
  build: {
    target: "es2020",
    cssTarget: ["chrome110", "firefox110", "safari16"], // Writes nested rules out.
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
