/** What checks, formats, tests and builds the work. It runs code of the project, in the sandbox of its stage. */
import type { Rule } from "../rule.ts";
import { allow, arg, ONLY_READS, OUTSIDE, words } from "./allow.ts";

const SCRIPTS = "{test,lint,build,check,format,fmt,typecheck,type-check,types,coverage,compile}";
const JS_TOOLS =
  "{vitest,jest,mocha,ava,tap,eslint,prettier,biome,tsc,vue-tsc,stylelint,oxlint,standard,xo,markdownlint,knip,depcruise}";
const PY_TOOLS = "{pytest,mypy,ruff,black,isort,flake8,pyright,pylint,unittest}";
const CHECKERS = "{shellcheck,shfmt,hadolint,yamllint,actionlint,gofmt,clang-format,rubocop,rspec}";
/** It would run text, load a plugin, install something or write elsewhere. */
const PY_STEERS = arg("^--(bas|in|load|out|py)");
const NPM_FLAGS = "{--silent,-s,--if-present,--workspaces,--workspace=*}";
const JOBS = "{-j,-j2,-j4,-j8,-j16,-k,-s}";
/** npx may fetch a program, so nothing but exactly these is allowed. */
const NPX_WORDS = "{.,run,check,lint,format,src,test,--noEmit,--check,--write,--fix,--run,--coverage,-b,--build}";
const CHECKS = "It checks or formats the work.";
const TESTS = "It tests or builds the work.";

export const BUILDS: readonly Rule[] = [
  allow(
    "scripts",
    TESTS,
    { run: ["{npm,pnpm,yarn,bun}", "{run,run-script}", `${SCRIPTS}*`] },
    {
      examples: {
        match: words("npm run lint", "pnpm run test:unit"),
        not: words("npm run deploy", "npm run test --script-shell=x"),
      },
    },
  ),
  allow(
    "scripts-given",
    TESTS,
    { run: ["{npm,pnpm,yarn,bun}", "{run,run-script}", `${SCRIPTS}*`, "--", "**"] },
    {
      except: [OUTSIDE],
      examples: {
        match: words("npm run test -- --watch=false"),
        not: words("npm run deploy -- x", "npm run test -- /tmp/x.js"),
      },
    },
  ),
  allow(
    "npm-test",
    TESTS,
    { run: ["{npm,pnpm,yarn,bun}", "{test,t,lint,build}"] },
    {
      examples: { match: words("npm test", "yarn build"), not: words("npm test --prefix x", "npm install") },
    },
  ),
  allow(
    "npm-test-given",
    TESTS,
    { run: ["{npm,pnpm,yarn,bun}", "{test,t}", "--", "**"] },
    {
      except: [OUTSIDE],
      examples: { match: words("npm test -- src/a.test.ts"), not: words("npm test -- ../x", "npm exec -- x") },
    },
  ),
  allow(
    "npm-test-flags",
    TESTS,
    { run: ["npm", "{test,t}", NPM_FLAGS] },
    {
      except: [OUTSIDE],
      examples: { match: words("npm test --silent"), not: words("npm test --prefix=x", "npm test --workspace=../x") },
    },
  ),
  allow(
    "npm-run-flags",
    TESTS,
    { run: ["npm", "{run,run-script}", `${SCRIPTS}*`, NPM_FLAGS] },
    {
      except: [OUTSIDE],
      examples: {
        match: words("npm run build --workspace=web"),
        not: words("npm run build --script-shell=x", "npm run deploy --silent"),
      },
    },
  ),
  allow(
    "pnpm-all",
    TESTS,
    { run: ["pnpm", "{-r,--recursive}", "{test,lint,build}"] },
    {
      examples: { match: words("pnpm -r test"), not: words("pnpm -r exec x", "pnpm -C test") },
    },
  ),
  allow(
    "npm-lists",
    ONLY_READS,
    { run: ["{npm,pnpm}", "run"] },
    {
      examples: { match: words("npm run"), not: words("npm run deploy", "npm") },
    },
  ),
  allow(
    "npm-looks",
    ONLY_READS,
    { run: ["{npm,pnpm,yarn}", "{ls,list,outdated,why,explain,audit}", "**"] },
    {
      except: [arg("^--(sc|no|pre|gl|us|sh|fi)|^fix$|^-C")],
      examples: { match: words("npm ls --depth=0"), not: words("npm audit fix", "npm install") },
    },
  ),
  allow(
    "node-test",
    TESTS,
    { run: ["node", "--test", "**"] },
    {
      except: [arg("^(-[^-]|--[^t]|--t[^e])"), OUTSIDE],
      examples: {
        match: words("node --test", "node --test test/a.js"),
        not: words("node a.js", "node --test -e x", "node --test --import x"),
      },
    },
  ),
  allow(
    "js-tools",
    CHECKS,
    { run: [JS_TOOLS, "**"] },
    {
      except: [arg("^(-o|--out)"), OUTSIDE],
      examples: {
        match: words("vitest run a", "eslint .", "tsc --noEmit"),
        not: words("eslint -o x", "prettier /etc/x", "./eslint"),
      },
    },
  ),
  allow(
    "npx-tools",
    CHECKS,
    { run: ["{npx,bunx}", JS_TOOLS] },
    {
      examples: { match: words("npx vitest"), not: words("npx evil", "npx -c x", "npx --package=x vitest") },
    },
  ),
  allow(
    "npx-tools-given",
    CHECKS,
    { run: ["{npx,bunx}", JS_TOOLS, NPX_WORDS] },
    {
      examples: { match: words("npx tsc --noEmit", "npx vitest run"), not: words("npx evil run", "npx eslint -c x") },
    },
  ),
  allow(
    "npx-tools-here",
    CHECKS,
    { run: ["{npx,bunx}", JS_TOOLS, NPX_WORDS, "{.,src,test,src/,test/}"] },
    {
      examples: { match: words("npx prettier --check ."), not: words("npx prettier --check /x") },
    },
  ),
  allow(
    "py-tools",
    CHECKS,
    { run: [PY_TOOLS, "**"] },
    {
      except: [PY_STEERS, OUTSIDE],
      examples: {
        match: words("pytest -q tests", "ruff check .", "pylint src"),
        not: words("pytest --basetemp=x", "mypy --python-executable x", "pylint --init-hook=x", "mypy --install-types"),
      },
    },
  ),
  allow(
    "py-modules",
    CHECKS,
    { run: ["{python,python3}", "-m", PY_TOOLS, "**"] },
    {
      except: [PY_STEERS, OUTSIDE],
      examples: {
        match: words("python -m pytest -x"),
        not: words("python -m http.server", "python -c x", "python a.py"),
      },
    },
  ),
  allow(
    "py-runners",
    CHECKS,
    { run: ["{uv,poetry,pdm}", "run", PY_TOOLS, "**"] },
    {
      except: [PY_STEERS, OUTSIDE],
      examples: { match: words("uv run pytest"), not: words("uv run x.py", "poetry run --x pytest") },
    },
  ),
  allow(
    "checkers",
    CHECKS,
    { run: [CHECKERS, "**"] },
    {
      except: [arg("^(--?cpu|-r|--require|-o|--out|--init)"), OUTSIDE],
      examples: { match: words("shellcheck a.sh", "gofmt -l ."), not: words("rspec -r ./x", "rubocop --out x") },
    },
  ),
  allow(
    "bundle",
    TESTS,
    { run: ["bundle", "exec", "{rspec,rubocop}", "**"] },
    {
      except: [arg("^(-r|--require|-o|--out|--init)"), OUTSIDE],
      examples: { match: words("bundle exec rspec"), not: words("bundle exec ruby x", "bundle exec rspec -r x") },
    },
  ),
  allow(
    "go",
    TESTS,
    { run: ["go", "{test,build,vet,list,fmt,doc}", "**"] },
    {
      except: [
        arg(
          "^--?(exec|toolexec|vettool|overlay|ldflags|gcflags|gccgoflags|asmflags|compiler|modfile|o|C|cpuprofile|memprofile|trace|blockprofile|mutexprofile|outputdir)(=|$)",
        ),
        OUTSIDE,
      ],
      examples: {
        match: words("go test ./...", "go vet ./..."),
        not: words("go test -exec x", "go run .", "go build -o x", "go vet -vettool=x", "go build -toolexec x"),
      },
    },
  ),
  allow(
    "go-lint",
    CHECKS,
    { run: ["golangci-lint", "run", "**"] },
    {
      except: [arg("^(-c|--c|--o|--mem|--trace)"), OUTSIDE],
      examples: {
        match: words("golangci-lint run", "golangci-lint run ./..."),
        not: words("golangci-lint custom", "golangci-lint run -c x", "golangci-lint run --out-format=x"),
      },
    },
  ),
  allow(
    "terraform",
    CHECKS,
    { run: ["{terraform,tofu}", "fmt", "**"] },
    {
      except: [OUTSIDE],
      examples: { match: words("terraform fmt -check"), not: words("terraform apply", "terraform -chdir=x fmt") },
    },
  ),
  allow(
    "cargo",
    TESTS,
    { run: ["cargo", "{test,build,check,clippy,fmt,doc,tree,metadata,bench}", "**"] },
    {
      except: [arg("^(--config|-Z|-C|--manifest)"), OUTSIDE],
      examples: {
        match: words("cargo test --all", "cargo clippy"),
        not: words("cargo test --config x", "cargo run", "cargo +x test"),
      },
    },
  ),
  allow(
    "jvm",
    TESTS,
    { run: ["{mvn,./mvnw,gradle,./gradlew}", "{test,check,compile,verify,package,build,assemble}"] },
    {
      examples: { match: words("mvn test", "./gradlew build"), not: words("mvn test -Djvm=x", "mvn deploy") },
    },
  ),
  allow(
    "native",
    TESTS,
    {
      run: [
        "{make,swift,mix,dotnet,deno,composer,tox,nox,rake,just}",
        "{test,check,lint,build,all,format,fmt,compile}",
      ],
    },
    {
      examples: {
        match: words("make test", "dotnet build"),
        not: words("make SHELL=x", "make -f x", "deno run x", "make install"),
      },
    },
  ),
  allow(
    "bare-builds",
    TESTS,
    { run: ["{make,ctest,tox,nox}"] },
    {
      examples: { match: words("make"), not: words("make -f x", "make test SHELL=x") },
    },
  ),
  allow(
    "make-jobs",
    TESTS,
    { run: ["make", JOBS] },
    {
      examples: { match: words("make -j4"), not: words("make -f", "make -n", "make -j4 -f x", "make -j4 install") },
    },
  ),
];
