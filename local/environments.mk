# The rules that make the environments. An environment is made again when a list of its dependencies changes.
#
# Two makes at the same time must not make the same environment. So the first rules only wait for the lock and start
# make again. That make has the lock, checks whether there is still something to do, and uses the second rules.

DEPENDENCIES := pyproject.toml layers/messagelog/pyproject.toml layers/messagelog/requirements.txt
PIP := -m pip install -qq --disable-pip-version-check
ALONE = @python=$$(local/find-python) && $$python local/alone.py .local/environments.lock \
	$(MAKE) --no-print-directory LOCKED_PYTHON=$$python $@

ifndef LOCKED_PYTHON

.venv/run .venv/dev .venv/checkov: $(DEPENDENCIES)
	$(ALONE)

.local/python-%/made: $(DEPENDENCIES)
	$(ALONE)

.local/peers%/made: benchmarks/requirements-peers%.txt
	$(ALONE)

else

# To run the API takes a few packages, to test it many more.
.venv/run: $(DEPENDENCIES)
	@echo 'Making .venv. This happens once, and takes a minute or two with a slow network.'
	@rm -rf .venv
	@$(LOCKED_PYTHON) -m venv .venv
	@.venv/bin/python $(PIP) 'pip>=25.1'
	@.venv/bin/python $(PIP) --group run --editable 'layers/messagelog[aws]'
	@touch $@

.venv/dev: .venv/run
	@echo 'Adding the packages for checks and tests to .venv. This happens once.'
	@.venv/bin/python $(PIP) --group dev
	@touch $@

# In an environment of its own, because it requires an old boto3.
.venv/checkov: .venv/run
	@echo 'Adding checkov. This happens once.'
	@.venv/bin/python -m venv $@
	@$@/bin/python $(PIP) 'checkov==3.3.*'
	@touch $@

# Another version of Python, for the unit tests.
.local/python-%/made: $(DEPENDENCIES)
	@echo 'Making .local/python-$*. This happens once.'
	@rm -rf $(@D)
	@$$(local/find-python $*) -m venv $(@D)
	@$(@D)/bin/python $(PIP) 'pip>=25.1'
	@$(@D)/bin/python $(PIP) --group dev --editable 'layers/messagelog[aws]'
	@touch $@

# The libraries that the benchmarks compare with. If one cannot be installed, the results leave it out.
.local/peers%/made: benchmarks/requirements-peers%.txt
	@echo 'Making $(@D). This happens once, and takes a few minutes with a slow network.'
	@rm -rf $(@D)
	@$(LOCKED_PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $< || rm -rf $(@D)/bin
	@touch $@

endif
